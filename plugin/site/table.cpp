/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "site/site.h"

#include "base/names.h"
#include "base/settings.h"
#include "format.h"

#include <llvm/IR/Comdat.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace allocsite {

/* The name only helps readers of the IR; LTO merges equal types. */
static StructType *structType(LLVMContext &context, ArrayRef<Type *> fields, StringRef name) {
    StructType *known = StructType::getTypeByName(context, name);
    return known ? known : StructType::create(context, fields, name);
}

/* Returns the path of the compiled file, or an empty string. Module::debug_compile_units skips units without
 * debug info, so the metadata is read directly. */
static std::string mainFileOf(const Module &module) {
    const NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu");
    return units && units->getNumOperands() ? pathOf(cast<DICompileUnit>(units->getOperand(0))->getFile())
                                            : "";
}

/* The id is computed from exported functions without a comdat, so it is taken before comdats are added. */
Table::Table(Module &module, bool isOneSection)
    : module(module), context(module.getContext()), moduleId(getUniqueModuleId(&module)),
      mainFile(mainFileOf(module)),
      isOneSection(isOneSection && !isLTOPreLink(module) && !module.getProfileSummary(false)) {
    Type *i8 = Type::getInt8Ty(context), *i16 = Type::getInt16Ty(context);
    Type *i32 = Type::getInt32Ty(context), *i64 = Type::getInt64Ty(context);
    siteType = structType(context, {i64, i32, i32, i32, i32, i32, i16, i8, i8}, "allocsite.site");
    frameType = structType(context, {i32, i32, i32, i32}, "allocsite.frame");
    pairType = structType(context, {i32, i32}, "allocsite.pair");
    functionType = structType(context, {i32, i32, i32, i32, i32}, "allocsite.function");
    callType = structType(context, {i32, i32, i32, i16, i8, i8}, "allocsite.call");
}

/* The fields of a descriptor by their position in siteType. */
enum Field { HASH, KEY, LINE, SCOPE, CALLER, REQUEST, COLUMN, VERSION, KIND };

Constant *Table::number(unsigned bits, uint64_t value) {
    return ConstantInt::get(Type::getIntNTy(context, bits), value);
}

/* Lets the object file omit the global from its table of address-significant symbols. Global unnamed_addr
 * would have the same effect, but would move some globals into a section of mergeable constants. */
static void setFrames(GlobalVariable &global) {
    global.setSection(ALLOCSITE_FRAMES_SECTION);
    global.setUnnamedAddr(GlobalValue::UnnamedAddr::Local);
}

/* The section names are C identifiers, for which AddressSanitizer adds no redzones. */
GlobalVariable *Table::shared(StructType *type, const Twine &name) {
    auto *global = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, nullptr, name);
    setFrames(*global);
    global->setAlignment(Align(4));
    referencedSize += module.getDataLayout().getTypeAllocSize(type);
    return global;
}

static GlobalVariable *makeString(Module &module, const std::string &text, GlobalValue::LinkageTypes linkage,
                                  const Twine &name) {
    Constant *bytes = ConstantDataArray::getString(module.getContext(), text);
    auto *global = new GlobalVariable(module, bytes->getType(), true, linkage, bytes, name);
    global->setSection(ALLOCSITE_STRINGS_SECTION);
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    global->setAlignment(Align(1));
    return global;
}

GlobalVariable *Table::string(const std::string &text) {
    GlobalVariable *&global = strings[text];
    if (global)
        return global;
    global = makeString(module, text, GlobalValue::PrivateLinkage, "__allocsite_string");
    referencedSize += alignTo(text.size() + 1, 4);
    return global;
}

/* A string that no other object has does not need merging by the linker, and needs no relocation in the
 * section of the records that refer to it. */
GlobalVariable *Table::unmergedString(const std::string &text) {
    GlobalVariable *global = string(text);
    setFrames(*global);
    return global;
}

static Constant *distanceOf(Constant &to, Constant &from) {
    Type *i32 = Type::getInt32Ty(to.getContext()), *i64 = Type::getInt64Ty(to.getContext());
    return ConstantExpr::getTrunc(
        ConstantExpr::getSub(ConstantExpr::getPtrToInt(&to, i64), ConstantExpr::getPtrToInt(&from, i64)),
        i32);
}

Constant *Table::distance(GlobalVariable *to, GlobalVariable *from, Type *type, ArrayRef<unsigned> path) {
    Type *i32 = Type::getInt32Ty(context);
    if (!to)
        return ConstantInt::get(i32, 0);
    SmallVector<Constant *, 3> indices = {ConstantInt::get(i32, 0)};
    for (unsigned index : path)
        indices.push_back(ConstantInt::get(i32, index));
    return distanceOf(*to, *ConstantExpr::getInBoundsGetElementPtr(type, from, indices));
}

/* struct allocsite_scope and struct allocsite_request both consist of two references. */
GlobalVariable *Table::pair(GlobalVariable *first, GlobalVariable *second, const char *name) {
    GlobalVariable *&global = pairs[{first, second}];
    if (global)
        return global;
    global = shared(pairType, name);
    global->setInitializer(ConstantStruct::get(
        pairType, {distance(first, global, pairType, {0}), distance(second, global, pairType, {1})}));
    return global;
}

GlobalVariable *Table::scope(const SourceLocation &place) {
    bool isInMainFile = place.file == mainFile; // strings of headers also occur in other objects
    return isInMainFile
               ? pair(unmergedString(place.function), unmergedString(place.file), "__allocsite_scope")
               : pair(string(place.function), string(place.file), "__allocsite_scope");
}

GlobalVariable *Table::frame(ArrayRef<SourceLocation> callers) {
    if (callers.empty())
        return nullptr;
    const SourceLocation &at = callers.front();
    GlobalVariable *where = scope(at), *outer = frame(callers.drop_front());
    GlobalVariable *&global = frames[{where, outer, at.line, at.column}];
    if (global)
        return global;
    global = shared(frameType, "__allocsite_frame");
    global->setInitializer(ConstantStruct::get(frameType, {distance(where, global, frameType, {0}),
                                                           distance(outer, global, frameType, {1}),
                                                           number(32, at.line), number(32, at.column)}));
    return global;
}

/* Puts `upper` into the 8 bits of a reference that a distance within the table does not use. */
static Constant *distanceWithBits(GlobalVariable *to, GlobalVariable &from, uint32_t upper) {
    Constant *bits = ConstantInt::get(Type::getInt32Ty(from.getContext()), upper << 24);
    return to ? ConstantExpr::getAdd(distanceOf(*to, from), bits) : bits;
}

/* LTO may split a module, so sections that are one here may not be one in the object file. */
bool Table::isJoined() const {
    return !isLTOPreLink(module) && referencedSize < ALLOCSITE_JOINED_REACH;
}

Constant *Table::descriptor(const Site &site, const Site &leader, GlobalVariable *array, unsigned index) {
    Type *type = array->getValueType();
    unsigned back = index % ALLOCSITE_JOINED_MOST;
    GlobalVariable *first = scope(leader.at), *where = scope(site.at), *outer = frame(site.callers);
    GlobalVariable *request =
        pair(string(site.callee), site.type.empty() ? nullptr : string(site.type), "__allocsite_request");
    bool isJoined = this->isJoined();
    return ConstantStruct::get(
        siteType,
        {number(64, stableHash(site)), number(32, ALLOCSITE_KEY_NONE), number(32, site.at.line),
         isJoined && back ? distanceOf(*where, *first) : distance(where, array, type, {index, SCOPE}),
         isJoined ? distanceWithBits(outer, *where, back & 0xFF)
                  : distance(outer, array, type, {index, CALLER}),
         isJoined ? distanceWithBits(request, *where, back >> 8)
                  : distance(request, array, type, {index, REQUEST}),
         number(16, site.at.column), number(8, ALLOCSITE_FORMAT_VERSION),
         number(8, site.kind | (isJoined ? ALLOCSITE_JOINED : 0))});
}

bool isLTOPreLink(const Module &module) {
    return module.getModuleFlag("EnableSplitLTOUnit") != nullptr;
}

/* In LTO, !associated makes LLVM 19 and 22 abort if the function is inlined away before code generation, so
 * the function shares a comdat with its descriptors. Local functions with one name can meet in one LTO
 * module, so their comdat's name includes the module's id. */
static Comdat *groupForLTO(Module &module, Function &function, const std::string &moduleId) {
    std::string name = function.getName().str();
    if (function.hasLocalLinkage())
        name += moduleId;
    Comdat *comdat = module.getOrInsertComdat(name);
    comdat->setSelectionKind(Comdat::NoDeduplicate);
    function.setComdat(comdat);
    return comdat;
}

/* Links descriptors to the function, so that --gc-sections and comdat folding drop both together. */
void Table::group(GlobalVariable &array, Function &function) {
    if (isLTOPreLink(module)) {
        array.setComdat(function.hasComdat() ? function.getComdat()
                                             : groupForLTO(module, function, moduleId));
        return;
    }
    array.setComdat(function.getComdat());
    array.setMetadata(LLVMContext::MD_associated, MDNode::get(context, ValueAsMetadata::get(&function)));
}

/* Returns whether the function is in the section that most functions of the module share. */
bool Table::isInSharedSection(const Function &function) const {
    return isOneSection && !function.isDeclarationForLinker() && !function.hasComdat() &&
           !function.hasSection() && !function.hasFnAttribute(Attribute::Hot) &&
           !function.hasFnAttribute(Attribute::Cold);
}

static Constant *elementOf(GlobalVariable &array, unsigned index) {
    Type *i32 = Type::getInt32Ty(array.getContext());
    return ConstantExpr::getInBoundsGetElementPtr(
        array.getValueType(), &array,
        ArrayRef<Constant *>{ConstantInt::get(i32, 0), ConstantInt::get(i32, index)});
}

void Table::describe(GlobalVariable &array, ArrayRef<Site> sites) {
    array.setLinkage(GlobalValue::PrivateLinkage);
    array.setSection(ALLOCSITE_SITES_SECTION);
    array.setAlignment(Align(sizeof(allocsite_site)));
    array.setExternallyInitialized(true); // the runtime writes the keys, which is not visible in the IR
    SmallVector<Constant *, 8> descriptors;
    for (unsigned index = 0; index < sites.size(); index++)
        descriptors.push_back(
            descriptor(sites[index], sites[index - index % ALLOCSITE_JOINED_MOST], &array, index));
    array.setInitializer(ConstantArray::get(cast<ArrayType>(array.getValueType()), descriptors));
}

GlobalVariable *Table::declare(size_t sites, const Twine &name) {
    return new GlobalVariable(module, ArrayType::get(siteType, sites), false, GlobalValue::ExternalLinkage,
                              nullptr, name);
}

SmallVector<Constant *, 8> Table::add(Function &function, ArrayRef<Site> sites) {
    GlobalVariable *array = declare(sites.size(), "__allocsite_sites." + function.getName());
    if (isInSharedSection(function)) {
        pendingArrays.push_back({array, sites.vec()});
    } else {
        describe(*array, sites);
        group(*array, function);
    }
    SmallVector<Constant *, 8> pointers;
    for (unsigned index = 0; index < sites.size(); index++)
        pointers.push_back(elementOf(*array, index));
    return pointers;
}

/* Returns a function of the shared section, preferably one that is certainly emitted. */
Function *Table::anyInSection() const {
    Function *any = nullptr;
    for (Function &function : module)
        if (isInSharedSection(function) && (!any || any->hasLocalLinkage()))
            any = &function;
    return any;
}

void Table::join() {
    std::vector<Site> sites;
    std::vector<std::pair<GlobalVariable *, size_t>> places;
    for (auto &[array, functionSites] : pendingArrays) {
        array->removeDeadConstantUsers();
        if (array->use_empty()) {
            array->eraseFromParent();
            continue;
        }
        places.push_back({array, sites.size()});
        sites.insert(sites.end(), functionSites.begin(), functionSites.end());
    }
    if (sites.empty())
        return;
    GlobalVariable *all = declare(sites.size(), "__allocsite_sites");
    describe(*all, sites);
    group(*all, *anyInSection());
    appendToCompilerUsed(module, {all});
    for (auto [array, first] : places) {
        array->replaceAllUsesWith(ConstantExpr::getPointerCast(elementOf(*all, first), array->getType()));
        array->eraseFromParent();
    }
}

/* Inline functions and library headers occur in other objects as well, so all strings here are mergeable. */
Constant *Table::function(const FunctionFlags &known, GlobalVariable *array, unsigned index) {
    SmallVector<Constant *, 5> fields;
    for (const std::string *text : {&known.symbol, &known.function, &known.file, &known.depends})
        fields.push_back(distance(text->empty() ? nullptr : string(*text), array, array->getValueType(),
                                  {index, unsigned(fields.size())}));
    fields.push_back(number(32, known.flags | ALLOCSITE_FORMAT_VERSION << ALLOCSITE_FUNCTION_VERSION_SHIFT));
    return ConstantStruct::get(functionType, fields);
}

void Table::addFunctions(ArrayRef<FunctionFlags> functions) {
    if (functions.empty())
        return;
    ArrayType *type = ArrayType::get(functionType, functions.size());
    auto *array =
        new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, nullptr, "__allocsite_functions");
    array->setSection(ALLOCSITE_FUNCTIONS_SECTION);
    array->setAlignment(Align(4));
    SmallVector<Constant *, 16> records;
    for (const FunctionFlags &known : functions)
        records.push_back(function(known, array, records.size()));
    array->setInitializer(ConstantArray::get(type, records));
    appendToUsed(module, {array});
}

Constant *Table::call(const CallType &known, GlobalVariable *array, unsigned index) {
    GlobalVariable *type = known.type.empty() ? nullptr : unmergedString(known.type);
    return ConstantStruct::get(callType, {distance(scope(known.at), array, array->getValueType(), {index, 0}),
                                          distance(type, array, array->getValueType(), {index, 1}),
                                          number(32, known.at.line), number(16, known.at.column),
                                          number(8, ALLOCSITE_FORMAT_VERSION), number(8, known.flags)});
}

/* Emits the calls of all functions, including inlined ones: they still occur in inline chains. */
void Table::addCalls(ArrayRef<CallType> calls) {
    if (calls.empty())
        return;
    auto *array = new GlobalVariable(module, ArrayType::get(callType, calls.size()), true,
                                     GlobalValue::PrivateLinkage, nullptr, "__allocsite_call");
    setFrames(*array);
    array->setAlignment(Align(4));
    SmallVector<Constant *, 16> records;
    for (const CallType &known : calls)
        records.push_back(call(known, array, records.size()));
    array->setInitializer(ConstantArray::get(cast<ArrayType>(array->getValueType()), records));
    auto *all =
        new GlobalVariable(module, pairType, true, GlobalValue::PrivateLinkage, nullptr, "__allocsite_calls");
    all->setSection(ALLOCSITE_CALLS_SECTION);
    all->setAlignment(Align(4));
    all->setInitializer(
        ConstantStruct::get(pairType, {distance(array, all, pairType, {0}), number(32, calls.size())}));
    appendToUsed(module, {all});
}

} // namespace allocsite
