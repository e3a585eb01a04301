/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "debug_types.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "debug_spell.h"

using namespace llvm;

namespace allocsite {

static void addVariable(Variables &variables, const Value *place, const DILocalVariable *variable,
                        const DIExpression *expression) {
    if (place && expression->getNumElements() == 0)
        variables[place] = variable->getType();
}

/* When it optimizes, clang from 17 on has turned the declarations into assignments by then. */
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

/* A place in memory: so many bytes into an object of that type; null: unknown. */
struct Object {
    const DIType *type;
    uint64_t offset;
};

/* The member of a struct that holds a byte. Of a union it cannot be told. */
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

/* What a pointer in that place points to. */
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

/* The name that clang gives a struct of the source in the IR has more around it: `class.ns::name.12`. */
static bool isLayoutOf(const Type *layout, const DIType *type) {
    type = withoutNames(type);
    auto *composite = dyn_cast_or_null<DICompositeType>(type);
    auto *structure = dyn_cast<StructType>(layout);
    if (!structure || !composite || composite->getTag() == dwarf::DW_TAG_array_type)
        return !structure && (!composite || composite->getTag() == dwarf::DW_TAG_array_type);
    if (!structure->hasName())
        return false;
    StringRef name = structure->getName();
    name = name.substr(name.find('.') + 1).rtrim("0123456789").rtrim('.');
    size_t scope = name.rfind("::");
    name = scope == StringRef::npos ? name : name.substr(scope + 2);
    return name == composite->getName().split('<').first;
}

static Object objectAt(const Value *address, const Variables &variables, unsigned depth);

/* Offsets that are not constant are those of an array, or of what a pointer points to as to one. */
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

/* Clang gathers what is returned in a variable without a name. */
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

/* The types of all that a value is stored to. */
static void addTypes(const Value *value, const Variables &variables, const Function &function,
                     SmallVectorImpl<std::string> &types, unsigned depth) {
    for (const User *user : value->users()) {
        if (depth < 4 && (isa<BitCastInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user)))
            addTypes(user, variables, function, types, depth + 1);
        std::string type = spell(typeOfUse(user, value, function, variables), function);
        if (!type.empty())
            types.push_back(std::move(type));
    }
}

std::string typeByDebugInfo(const CallBase &call, const Variables &variables) {
    const Function &function = *call.getFunction();
    if (auto *made = dyn_cast_or_null<DIType>(call.getMetadata("heapallocsite")))
        return spell(made, function);
    SmallVector<std::string, 2> types;
    addTypes(&call, variables, function, types, 0);
    const Function *callee = call.getCalledFunction();
    if (types.empty() && callee)
        return spell(pointeeAt({resultOf(*callee), 0}), function);
    bool agree = !types.empty() && std::equal(types.begin() + 1, types.end(), types.begin());
    return agree ? types.front() : "";
}

} // namespace allocsite
