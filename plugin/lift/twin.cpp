/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lift/lift.h"

#include "base/compat.h"
#include "base/settings.h"
#include "site/site.h"
#include "wrap/wrappers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/NoFolder.h>

using namespace llvm;

namespace allocsite {

static bool spellAll(ArrayRef<Type *> types, std::string &name);

/* Pointers to whatever are one letter, as they are one type from LLVM 17 on. False: it has none. */
static bool spell(const Type *type, std::string &name) {
    if (type->isPointerTy())
        name += 'p';
    else if (type->isVoidTy())
        name += 'v';
    else if (type->isFloatTy())
        name += 'f';
    else if (type->isDoubleTy())
        name += 'd';
    else if (type->isIntegerTy(1))
        name += 'b';
    else if (type->isIntegerTy(8))
        name += 'c';
    else if (type->isIntegerTy(16))
        name += 's';
    else if (type->isIntegerTy(32))
        name += 'i';
    else if (type->isIntegerTy(64))
        name += 'l';
    else if (type->isStructTy())
        return spellAll(cast<StructType>(type)->elements(), name += 'S') && (name += 'E', true);
    else
        return false;
    return true;
}

static bool spellAll(ArrayRef<Type *> types, std::string &name) {
    return all_of(types, [&](Type *type) { return spell(type, name); });
}

static bool isPlain(const Argument &argument) {
    return !argument.hasPassPointeeByValueCopyAttr() && !argument.hasNestAttr() && !argument.hasInRegAttr();
}

/* A call of the wrapper with another type, which happens to work without the site, finds no twin to disturb.
 * Behind an @ there is a version, which has to come last. */
static std::string nameFor(const Function &wrapper) {
    StringRef symbol = wrapper.getName();
    symbol.consume_front("\1");
    bool isKnown = options().twins && wrapper.hasExternalLinkage() && !symbol.contains('@');
    std::string name = symbol.str() + ALLOCSITE_SITED;
    bool mayHave = isKnown && !wrapper.isVarArg() && wrapper.getCallingConv() == CallingConv::C &&
                   all_of(wrapper.args(), isPlain) && spell(wrapper.getReturnType(), name += '.') &&
                   spellAll(wrapper.getFunctionType()->params(), name);
    return mayHave ? name : "";
}

/* Directives of the assembler may give a function a version in this file alone. */
static bool hasVersions(const Module &module) {
    return StringRef(module.getModuleInlineAsm()).contains(".symver");
}

/* In LTO every function with sites is in a group (Table::group), which nothing else is in. */
std::string twinOf(const Function &wrapper) {
    const Comdat *group = wrapper.getComdat();
    bool isOnly = wrapper.isStrongDefinitionForLinker() && wrapper.isDSOLocal() &&
                  (!group || group->getSelectionKind() == Comdat::NoDeduplicate);
    return isOnly ? nameFor(wrapper) : "";
}

static bool isPossible(const Function &wrapper) {
    return wrapper.isDeclaration() && Wrappers::of(wrapper)->isPossible;
}

/* Other modules may replace what they see of a library: what surely is a wrapper takes its site as it would
 * from another module, without a stand-in between. */
static bool mayHaveTwin(const Function &wrapper) {
    const Module &module = *wrapper.getParent();
    if (isPossible(wrapper))
        return true;
    bool isForLibrary = module.getPICLevel() != PICLevel::NotPIC && module.getPIELevel() == PIELevel::Default;
    return wrapper.isDeclaration() && (wrapper.isDSOLocal() || !isForLibrary);
}

/* Not where nothing is optimized: a debugger that steps into the wrapper would step over the stand-in. No
 * twins are known of the functions of libraries. */
static std::string nameFor(const CallBase &call, const Function &wrapper) {
    bool isOther = call.isMustTailCall() || call.getFunctionType() != wrapper.getFunctionType();
    if (isOther || !mayHaveTwin(wrapper) || call.getFunction()->hasOptNone() ||
        Wrappers::of(wrapper)->isLibrary || Wrappers::of(wrapper)->isInside ||
        hasVersions(*wrapper.getParent()))
        return "";
    return nameFor(wrapper);
}

/* The function of that name, without code as yet. */
static Function &declareTwin(const std::string &name, Function &wrapper) {
    Module &module = *wrapper.getParent();
    if (Function *known = module.getFunction(name))
        return *known;
    Function *twin = Function::createWithDefaultAttr(typeWithSite(wrapper), GlobalValue::ExternalLinkage,
                                                     wrapper.getAddressSpace(), name, &module);
    AttributeSet defaults = twin->getAttributes().getFnAttrs();
    twin->setAttributes(
        wrapper.getAttributes().removeFnAttribute(module.getContext(), "alloc-variant-zeroed"));
    for (Attribute attribute : defaults)
        twin->addFnAttr(attribute);
    twin->setVisibility(GlobalValue::HiddenVisibility);
    return *twin;
}

bool callTwin(const AllocatorCall &found, Value *site, Lifting &lifting) {
    std::string name = found.what || !found.callee ? "" : nameFor(*found.call, *found.callee);
    if (name.empty())
        return false;
    Function &twin = declareTwin(name, *found.callee);
    lifting.standIns.insert({&twin, found.callee});
    forgetMemoryEffects(twin);
    forgetMemoryEffects(*found.call);
    forgetMemoryEffects(*found.call->getFunction());
    callInstead(*found.call, &twin, withSite(*found.call, site, SITE_LAST));
    return true;
}

/* The function that all files have the same of, and that the linker gives up for a twin. */
static void makeStandIn(Function &standIn) {
    Comdat *group = standIn.getParent()->getOrInsertComdat(standIn.getName());
    group->setSelectionKind(Comdat::Any);
    standIn.setComdat(group);
    standIn.setLinkage(GlobalValue::WeakAnyLinkage);
}

/* Hands on as many parameters as the callee takes. */
static CallInst *callFrom(Function &from, FunctionCallee callee, const AttributeList &attributes) {
    IRBuilder<> builder(BasicBlock::Create(from.getContext(), "", &from));
    SmallVector<Value *, 8> values;
    for (unsigned i = 0; i < callee.getFunctionType()->getNumParams(); i++)
        values.push_back(from.getArg(i));
    CallInst *call = builder.CreateCall(callee, values);
    call->setAttributes(attributes.removeFnAttributes(from.getContext()));
    from.getReturnType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
    return call;
}

/* The code of a function with the site as one more parameter that leaves it for the wrapper. */
static void leaveAndCall(Function &from, Function &wrapper, Lifting &lifting) {
    AllocatorCall found = {callFrom(from, &wrapper, wrapper.getAttributes()), &wrapper, nullptr};
    leaveSite(found, from.getArg(from.arg_size() - 1), lifting);
    clearWhenUnwound(from, found);
}

static bool hasLandingPads(const Module &module) {
    return any_of(module, [](const Function &function) {
        return function.hasPersonalityFn() &&
               any_of(function, [](const BasicBlock &block) { return block.isEHPad(); });
    });
}

/* Neither is told to return an object in memory, for LLVM gives no jump where one is. What is returned of it
 * is its address, which goes through. */
static FunctionCallee hideResult(Function &from, Function &callee, AttributeList &attributes) {
    LLVMContext &context = from.getContext();
    auto *type = FunctionType::get(pointerType(context), callee.getFunctionType()->params(), false);
    attributes = attributes.removeParamAttribute(context, 0, Attribute::StructRet);
    from.removeParamAttr(0, Attribute::StructRet);
    return from.getParent()->getOrInsertFunction(callee.getName(), type);
}

/* A pointer to it, of which LLVM does not know what it leads to: the address that is looked at is then the
 * one that is jumped to, and not a second reference, which takes a relocation. Not where LTO might know more.
 */
static Value *hidden(IRBuilderBase &builder, Function &function) {
    if (isLTOPreLink(*function.getParent()) || function.hasStructRetAttr())
        return &function;
    auto *type = FunctionType::get(function.getType(), {function.getType()}, false);
    return builder.CreateCall(InlineAsm::get(type, "", "=r,0", false), {&function});
}

/* By a pointer to it that is hidden, if one is given. */
static BasicBlock *jumpFrom(Function &from, Function &callee, Value *pointer = nullptr) {
    AttributeList attributes = callee.getAttributes();
    FunctionCallee target = &callee;
    if (callee.hasStructRetAttr())
        target = hideResult(from, callee, attributes);
    if (pointer && !isa<Constant>(pointer))
        target = FunctionCallee(target.getFunctionType(), pointer);
    CallInst *call = callFrom(from, target, attributes);
    call->setTailCall();
    return call->getParent();
}

/* A function that only jumps needs no entry for unwinding, for it has no frame. In LTO the optimizer would
 * take that for a promise, as would tables of landing pads: what leaves a call that has no entry there ends
 * the program. */
static void haveNoFrame(Function &from) {
    from.addFnAttr(OnlyJumps);
    from.addFnAttr(Attribute::OptimizeForSize);
    from.removeFnAttr("frame-pointer");
    if (isLTOPreLink(*from.getParent()) || hasLandingPads(*from.getParent()))
        return;
    from.removeFnAttr(Attribute::UWTable);
    from.setDoesNotThrow();
}

static Function &weakly(const std::string &name, Function &wrapper) {
    Module &module = *wrapper.getParent();
    if (Function *known = module.getFunction(name))
        return *known;
    Function *other =
        Function::Create(wrapper.getFunctionType(), GlobalValue::ExternalWeakLinkage, name, module);
    other->setAttributes(wrapper.getAttributes());
    return *other;
}

/* Only where ld is told to --wrap=NAME is there a function for __real_NAME. Protected, for then it is NAME,
 * which stays as visible as it is, and otherwise costs no dynamic symbol. */
static Value *isWrapped(IRBuilder<NoFolder> &builder, Function &wrapper) {
    Function &real = weakly(("__real_" + wrapper.getName()).str(), wrapper);
    if (real.hasDefaultVisibility())
        real.setVisibility(GlobalValue::ProtectedVisibility);
    return builder.CreateIsNotNull(&real);
}

/* With --wrap=NAME other files call __wrap_NAME, so that is what a twin does then, and drops the site: who
 * called is billed. Without it this is two instructions. A program may also have a __real_NAME of its own,
 * linked without --wrap: then there is no __wrap_NAME. */
static void obeyWrap(Function &twin, Function &wrapper, BasicBlock &otherwise) {
    LLVMContext &context = twin.getContext();
    IRBuilder<NoFolder> builder(BasicBlock::Create(context, "", &twin, &twin.getEntryBlock()));
    IRBuilder<NoFolder> seldom(BasicBlock::Create(context, "", &twin));
    Function &other = weakly(("__wrap_" + wrapper.getName()).str(), wrapper);
    builder.CreateCondBr(isWrapped(builder, wrapper), seldom.GetInsertBlock(), &otherwise,
                         MDBuilder(context).createBranchWeights(1, 1000));
    Value *pointer = hidden(seldom, other);
    seldom.CreateCondBr(seldom.CreateIsNotNull(pointer), jumpFrom(twin, other, pointer), &otherwise);
}

/* ---- Whether a function that only could be a wrapper takes the site, which other modules may tell, too: by
 * the mark before its code. Nothing is read before a page with code in it, which may be the first one. */

static void branchIfTaking(BasicBlock &from, Value *callee, BasicBlock &taking, BasicBlock &other) {
    constexpr unsigned Page = 4096, Distance = MARK_TAKES * sizeof(uint32_t);
    LLVMContext &context = from.getContext();
    BasicBlock *look = BasicBlock::Create(context, "", from.getParent());
    IRBuilder<NoFolder> builder(&from), next(look);
    Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty();
    Value *address = builder.CreatePtrToInt(callee, i64);
    Value *onPage = builder.CreateAnd(address, builder.getInt64(Page - Distance));
    builder.CreateCondBr(builder.CreateICmpEQ(onPage, builder.getInt64(0)), &other, look);
    Value *at = next.CreateIntToPtr(next.CreateSub(address, next.getInt64(Distance)), pointerTo(i32));
    LoadInst *mark = next.CreateAlignedLoad(i32, at, Align(1), true);
    next.CreateCondBr(next.CreateICmpEQ(mark, next.getInt32(ALLOCSITE_TAKES_MARK)), &taking, &other);
}

/* The definition that the loader has found, which the address that another module may have for it would hide.
 */
static Function &asLoaded(Function &callee) {
    if (callee.hasDefaultVisibility())
        callee.setDSOLocal(false);
    return callee;
}

/* Hands the site on to who takes it, and drops it elsewhere. With one jump for both: where parameters are on
 * the stack, LLVM makes calls of all but one. */
static void offer(Function &from, Function &wrapper) {
    LLVMContext &context = from.getContext();
    BasicBlock *look = BasicBlock::Create(context, "", &from),
               *taking = BasicBlock::Create(context, "", &from);
    IRBuilder<> first(look), builder(taking);
    Value *pointer = hidden(first, asLoaded(wrapper));
    BasicBlock *jump = jumpFrom(from, wrapper, pointer);
    leave(builder, from.getArg(from.arg_size() - 1));
    builder.CreateBr(jump);
    branchIfTaking(*look, pointer, *taking, *jump);
    from.setLinkage(GlobalValue::WeakAnyLinkage);
    haveNoFrame(from);
}

void addStandIns(Lifting &lifting) {
    for (auto &[standIn, wrapper] : lifting.standIns) {
        if (isPossible(*wrapper)) {
            offer(*standIn, *wrapper);
        } else {
            makeStandIn(*standIn);
            leaveAndCall(*standIn, *wrapper, lifting);
        }
    }
}

static void defineTwin(Function &twin, Function &wrapper) {
    for (const char *traced :
         {"instrument-function-entry-inlined", "instrument-function-exit-inlined", "fentry-call"})
        twin.removeFnAttr(traced);
    twin.setComdat(wrapper.getComdat());
}

void addTwin(const std::string &name, Function &wrapper, Function &body) {
    Function &twin = declareTwin(name, wrapper);
    defineTwin(twin, wrapper);
    obeyWrap(twin, wrapper, *jumpFrom(twin, body));
    haveNoFrame(twin);
}

static void addTwin(Function &wrapper, Lifting &lifting) {
    std::string name = nameFor(wrapper);
    if (name.empty() || hasVersions(*wrapper.getParent()) || wrapper.getParent()->getFunction(name))
        return;
    Function &twin = declareTwin(name, wrapper);
    defineTwin(twin, wrapper);
    leaveAndCall(twin, wrapper, lifting);
    obeyWrap(twin, wrapper, twin.getEntryBlock());
}

void addTwins(Module &module, Lifting &lifting) {
    SmallVector<Function *, 8> wrappers;
    for (Function &function : module) {
        std::optional<Wrapper> wrapper = Wrappers::of(function);
        bool isCalledByName = function.isStrongDefinitionForLinker() || function.hasWeakODRLinkage();
        if (wrapper && !wrapper->isLibrary && isCalledByName && !function.getName().contains(ALLOCSITE_SITED))
            wrappers.push_back(&function);
    }
    for (Function *wrapper : wrappers) {
        if (!wrapper->hasLocalLinkage() && takingOf(*wrapper))
            markCode(*wrapper, MARK_TAKES, ALLOCSITE_TAKES_MARK);
        addTwin(*wrapper, lifting);
    }
}

/* The site if the function takes it, else null: of each file for its own calls, which a function call makes
 * shorter. */
static Function &siteIfTaken(Module &module) {
    const char *name = ALLOCSITE_ENTRY_PREFIX "site_if_taken";
    if (Function *known = module.getFunction(name))
        return *known;
    LLVMContext &context = module.getContext();
    PointerType *pointer = pointerType(context);
    Function *function = Function::Create(FunctionType::get(pointer, {pointer, pointer}, false),
                                          GlobalValue::InternalLinkage, name, module);
    BasicBlock *look = BasicBlock::Create(context, "", function);
    BasicBlock *taking = BasicBlock::Create(context, "", function);
    BasicBlock *other = BasicBlock::Create(context, "", function);
    IRBuilder<>(taking).CreateRet(function->getArg(1));
    IRBuilder<>(other).CreateRet(ConstantPointerNull::get(pointer));
    branchIfTaking(*look, function->getArg(0), *taking, *other);
    function->addFnAttr(Attribute::NoInline);
    return *function;
}

bool mayReach(const AllocatorCall &found) {
    return found.what || !found.callee || !isPossible(*found.callee) || !found.call->isMustTailCall();
}

Value *siteIfWrapper(const AllocatorCall &found, Value *site) {
    if (found.what || !found.callee || !isPossible(*found.callee))
        return site;
    IRBuilder<> builder(found.call);
    Function &callee = asLoaded(*found.callee);
    builder.SetCurrentDebugLocation(DebugLoc());
    return builder.CreateCall(&siteIfTaken(*callee.getParent()),
                              {builder.CreatePointerCast(&callee, site->getType()), site});
}

} // namespace allocsite
