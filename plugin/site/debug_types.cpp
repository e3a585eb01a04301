/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/type_table.h"

#include "format.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace allocsite {

/* ---- Spelling of types. */

static bool isQualifier(unsigned tag) {
    return tag == dwarf::DW_TAG_const_type || tag == dwarf::DW_TAG_volatile_type ||
           tag == dwarf::DW_TAG_restrict_type || tag == dwarf::DW_TAG_atomic_type;
}

/* Strips typedefs and qualifiers. nullptr stays nullptr. */
static const DIType *withoutNames(const DIType *type) {
    while (auto *derived = dyn_cast_or_null<DIDerivedType>(type)) {
        if (derived->getTag() != dwarf::DW_TAG_typedef && !isQualifier(derived->getTag()))
            break;
        type = derived->getBaseType();
    }
    return type;
}

static bool isC(const DICompileUnit &unit) {
#if LLVM_VERSION_MAJOR >= 22
    DISourceLanguageName name = unit.getSourceLanguage();
    if (name.hasVersionedName())
        return name.getName() == dwarf::DW_LNAME_C;
    unsigned language = name.getName();
#else
    unsigned language = unit.getSourceLanguage();
#endif
    return language == dwarf::DW_LANG_C || language == dwarf::DW_LANG_C89 || language == dwarf::DW_LANG_C99 ||
           language == dwarf::DW_LANG_C11;
}

static std::string keywordOf(const DICompositeType &type, const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    if (!subprogram || !subprogram->getUnit() || !isC(*subprogram->getUnit()))
        return "";
    switch (type.getTag()) {
    case dwarf::DW_TAG_structure_type:
        return "struct ";
    case dwarf::DW_TAG_union_type:
        return "union ";
    default:
        return "enum ";
    }
}

/* Functions and inline namespaces are not part of a name. */
static std::string scopeOf(const DIScope *scope) {
    if (auto *space = dyn_cast_or_null<DINamespace>(scope)) {
        std::string name = space->getName().empty() ? "(anonymous namespace)" : space->getName().str();
        return scopeOf(space->getScope()) + (space->getExportSymbols() ? "" : name + "::");
    }
    if (auto *type = dyn_cast_or_null<DICompositeType>(scope))
        return scopeOf(type->getScope()) + type->getName().str() + "::";
    return "";
}

/* A struct, union or enum without a tag has the name of its typedef. */
static std::string spellTag(const DICompositeType &type, StringRef alias, const Function &function) {
    if (type.getName().empty())
        return alias.empty() ? "" : scopeOf(type.getScope()) + alias.str();
    return keywordOf(type, function) + scopeOf(type.getScope()) + type.getName().str();
}

static std::string spellDebugType(const DIType *type, const Function &function);
static std::string spellAs(const DIType *type, StringRef alias, const Function &function);

static std::string spellPointer(const DIDerivedType &pointer, const Function &function) {
    const DIType *to = pointer.getBaseType();
    std::string name = to ? spellAs(to, "", function) : "void";
    return name.empty() ? "" : name + (name.back() == '*' ? "*" : " *");
}

static std::string spellAs(const DIType *type, StringRef alias, const Function &function) {
    if (auto *composite = dyn_cast_or_null<DICompositeType>(type))
        return composite->getTag() == dwarf::DW_TAG_array_type
                   ? spellDebugType(composite->getBaseType(), function)
                   : spellTag(*composite, alias, function);
    if (auto *basic = dyn_cast_or_null<DIBasicType>(type))
        return basic->getName().str();
    auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    if (!derived)
        return "";
    if (derived->getTag() == dwarf::DW_TAG_pointer_type)
        return spellPointer(*derived, function);
    if (derived->getTag() == dwarf::DW_TAG_typedef)
        return spellAs(derived->getBaseType(), derived->getName(), function);
    if (!isQualifier(derived->getTag()))
        return "";
    std::string name = spellAs(derived->getBaseType(), alias, function);
    return derived->getTag() == dwarf::DW_TAG_const_type && !name.empty() ? "const " + name : name;
}

/* Spells one element of the type, in the language of the function. Empty: void, function types, unknown
 * types. */
static std::string spellDebugType(const DIType *type, const Function &function) {
    while (type && isQualifier(type->getTag()))
        type = cast<DIDerivedType>(type)->getBaseType();
    return spellAs(type, "", function);
}

/* ---- Objects in memory. */

static void addVariable(Variables &variables, const Value *place, const DILocalVariable *variable,
                        const DIExpression *expression) {
    if (place && expression->getNumElements() == 0)
        variables[place] = variable->getType();
}

/* Optimizing clang 17 and later has already replaced dbg.declare by dbg.assign. */
Variables findVariables(Function &function) {
    Variables variables;
    for (Instruction &instruction : instructions(function)) {
        if (auto *declare = dyn_cast<DbgDeclareInst>(&instruction))
            addVariable(variables, declare->getAddress(), declare->getVariable(), declare->getExpression());
#if LLVM_VERSION_MAJOR >= 17
        if (auto *assign = dyn_cast<DbgAssignIntrinsic>(&instruction))
            addVariable(variables, assign->getAddress(), assign->getVariable(),
                        assign->getAddressExpression());
#endif
#if LLVM_VERSION_MAJOR >= 19
        for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
            if (record.isDbgDeclare() || record.isDbgAssign())
                addVariable(variables, record.getAddress(), record.getVariable(), record.getExpression());
#endif
    }
    return variables;
}

/* An offset in bytes into an object of the type. type nullptr: unknown. */
struct Object {
    const DIType *type;
    uint64_t offset;
};

/* Returns the member of a struct that contains the byte. In a union the member is unknown. */
static Object memberAt(const DICompositeType &type, uint64_t offset) {
    if (type.getTag() == dwarf::DW_TAG_union_type)
        return {};
    for (const DINode *element : type.getElements()) {
        auto *member = dyn_cast_or_null<DIDerivedType>(element);
        if (!member || member->isStaticMember() || member->isBitField() ||
            (member->getTag() != dwarf::DW_TAG_member && member->getTag() != dwarf::DW_TAG_inheritance) ||
            (member->getFlags() & DINode::FlagVirtual))
            continue;
        uint64_t begin = member->getOffsetInBits() / 8, size = member->getSizeInBits() / 8;
        if (const DIType *base = member->getBaseType())
            size = std::max(size, base->getSizeInBits() / 8);
        if (offset >= begin && offset < begin + size)
            return {member->getBaseType(), offset - begin};
    }
    return {};
}

/* Returns the type that the pointer stored in the object points to. */
static const DIType *pointeeAt(Object object) {
    while (object.type) {
        object.type = withoutNames(object.type);
        auto *composite = dyn_cast_or_null<DICompositeType>(object.type);
        if (!composite)
            break;
        if (composite->getTag() == dwarf::DW_TAG_array_type) {
            const DIType *element = withoutNames(composite->getBaseType());
            uint64_t size = element ? element->getSizeInBits() / 8 : 0;
            object = size ? Object{element, object.offset % size} : Object{};
        } else {
            object = memberAt(*composite, object.offset);
        }
    }
    auto *pointer = dyn_cast_or_null<DIDerivedType>(object.type);
    bool isPointer = pointer && pointer->getTag() == dwarf::DW_TAG_pointer_type && object.offset == 0;
    return isPointer ? pointer->getBaseType() : nullptr;
}

/* Compares an IR struct with its debug info. clang decorates the source's name in the IR:
 * `class.ns::name.12`. */
static bool isLayoutOf(const Type *layout, const DIType *type) {
    type = withoutNames(type);
    auto *composite = dyn_cast_or_null<DICompositeType>(type);
    auto *structure = dyn_cast<StructType>(layout);
    if (!structure || !composite || composite->getTag() == dwarf::DW_TAG_array_type)
        return !structure && (!composite || composite->getTag() == dwarf::DW_TAG_array_type);
    if (!structure->hasName())
        return false;
    StringRef name = structure->getName();
    name = name.substr(name.find('.') + 1);
    StringRef unnumbered = name.rtrim("0123456789");
    if (unnumbered.consume_back("."))
        name = unnumbered;
    size_t scope = name.rfind("::");
    name = scope == StringRef::npos ? name : name.substr(scope + 2);
    return name == composite->getName().split('<').first;
}

static Object objectAt(const Value *address, const Variables &variables, unsigned depth);

/* An offset that is not constant is an index into an array, or into the array that a pointer points to. */
static Object objectAt(const GEPOperator &step, const Variables &variables, const DataLayout &layout,
                       unsigned depth) {
    Object base = objectAt(step.getPointerOperand(), variables, depth);
    if (!base.type || (base.offset == 0 && !isLayoutOf(step.getSourceElementType(), base.type)))
        return {};
    APInt offset(layout.getIndexTypeSizeInBits(step.getType()), 0);
    if (step.accumulateConstantOffset(layout, offset) && !offset.isNegative())
        return {base.type, base.offset + offset.getZExtValue()};
    bool isElement = step.getNumIndices() == 1 || isa<ArrayType>(step.getSourceElementType());
    return isElement ? base : Object{};
}

static Object objectAt(const Value *address, const Variables &variables, unsigned depth) {
    enum { Deepest = 16 };
    address = address->stripPointerCasts();
    auto known = variables.find(address);
    if (known != variables.end())
        return {known->second, 0};
    if (auto *global = dyn_cast<GlobalVariable>(address)) {
        SmallVector<DIGlobalVariableExpression *, 1> info;
        global->getDebugInfo(info);
        return info.size() == 1 ? Object{info[0]->getVariable()->getType(), 0} : Object{};
    }
    auto *instruction = dyn_cast<Instruction>(address);
    if (!instruction || depth == Deepest)
        return {};
    if (auto *load = dyn_cast<LoadInst>(instruction))
        return {pointeeAt(objectAt(load->getPointerOperand(), variables, depth + 1)), 0};
    if (auto *step = dyn_cast<GEPOperator>(instruction))
        return objectAt(*step, variables, instruction->getModule()->getDataLayout(), depth + 1);
    return {};
}

static const DIType *resultOf(const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
    DITypeRefArray types = type ? type->getTypeArray() : DITypeRefArray(nullptr);
    return types && types.size() > 0 ? types[0] : nullptr;
}

/* Returns whether the variable holds the function's result. clang gives it no debug info. */
static bool isReturned(const Value *place) {
    return isa<AllocaInst>(place) && any_of(place->users(), [](const User *user) {
               return isa<LoadInst>(user) && user->hasOneUse() && isa<ReturnInst>(user->user_back());
           });
}

static const DIType *typeOfUse(const User *user, const Value *value, const Function &function,
                               const Variables &variables) {
    if (isa<ReturnInst>(user))
        return pointeeAt({resultOf(function), 0});
    auto *store = dyn_cast<StoreInst>(user);
    if (!store || store->getValueOperand() != value)
        return nullptr;
    const Value *place = store->getPointerOperand()->stripPointerCasts();
    if (!variables.count(place) && isReturned(place))
        return pointeeAt({resultOf(function), 0});
    return pointeeAt(objectAt(place, variables, 0));
}

/* Adds the types of all variables that the value is stored to. */
static void addTypes(const Value *value, const Variables &variables, const Function &function,
                     SmallVectorImpl<std::string> &types, unsigned depth) {
    for (const User *user : value->users()) {
        if (depth < 4 && (isa<BitCastInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user)))
            addTypes(user, variables, function, types, depth + 1);
        std::string type = spellDebugType(typeOfUse(user, value, function, variables), function);
        if (!type.empty())
            types.push_back(std::move(type));
    }
}

/* Finds the type of the variables that the block is stored to; empty if the types differ. Returns false if
 * the block is not stored. */
static bool findTypeOfStores(const CallBase &call, const Variables &variables, std::string &type) {
    SmallVector<std::string, 2> types;
    addTypes(&call, variables, *call.getFunction(), types, 0);
    if (types.empty())
        return false;
    type = std::equal(types.begin() + 1, types.end(), types.begin()) ? types.front() : "";
    return true;
}

std::string typeByDebugInfo(const CallBase &call, const Variables &variables) {
    const Function &function = *call.getFunction();
    if (auto *made = dyn_cast_or_null<DIType>(call.getMetadata("heapallocsite")))
        return spellDebugType(made, function);
    std::string type;
    const Function *callee = call.getCalledFunction();
    if (!findTypeOfStores(call, variables, type) && callee)
        return spellDebugType(pointeeAt({resultOf(*callee), 0}), function);
    return type;
}

std::string useByDebugInfo(const CallBase &call, const Variables &variables) {
    const Function *callee = call.getCalledFunction();
    auto *result = dyn_cast_or_null<DIDerivedType>(withoutNames(callee ? resultOf(*callee) : nullptr));
    if (!result || result->getTag() != dwarf::DW_TAG_pointer_type)
        return "";
    std::string declared = spellDebugType(pointeeAt({result, 0}), *call.getFunction()), type;
    if (!declared.empty() && !allocsite_type_is_raw(declared.c_str()))
        return "";
    findTypeOfStores(call, variables, type);
    bool isTelling = !type.empty() && (declared.empty() || !allocsite_type_is_raw(type.c_str()));
    return isTelling ? type : ALLOCSITE_BYTES;
}

} // namespace allocsite
