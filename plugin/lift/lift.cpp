/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lift/lift.h"

#include "base/compat.h"
#include "format.h"
#include "wrap/wrappers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <optional>

using namespace llvm;

namespace allocsite {

/* Volatile: what calls do with it no optimizer knows, least of all one that comes later (LTO) and goes by
 * what was found out before. */
static constexpr bool IsVolatile = true;

static constexpr const char *Variable = ALLOCSITE_ENTRY_PREFIX "lifted";

static Constant *variable(Module &module) {
    PointerType *type = pointerType(module.getContext());
    return module.getOrInsertGlobal(Variable, type, [&] {
        return new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr, Variable,
                                  nullptr, GlobalValue::InitialExecTLSModel);
    });
}

StoreInst *leave(IRBuilder<> &builder, Value *site) {
    return builder.CreateStore(site, variable(*builder.GetInsertBlock()->getModule()), IsVolatile);
}

StoreInst *clearSite(IRBuilder<> &builder) {
    builder.SetCurrentDebugLocation(DebugLoc());
    return leave(builder, ConstantPointerNull::get(pointerType(builder.getContext())));
}

static void clear(BasicBlock &block, BasicBlock::iterator where) {
    IRBuilder<> builder(&block, where);
    clearSite(builder);
}

Take takeSite(Function &wrapper) {
    BasicBlock &entry = wrapper.getEntryBlock();
    BasicBlock::iterator where = entry.getFirstInsertionPt();
    while (isa<AllocaInst>(*where))
        ++where;
    PointerType *type = pointerType(wrapper.getContext());
    IRBuilder<> builder(&entry, where);
    builder.SetCurrentDebugLocation(DebugLoc());
    LoadInst *left = builder.CreateLoad(type, variable(*wrapper.getParent()), IsVolatile, "allocsite.left");
    StoreInst *clearing = clearSite(builder);
    forgetMemoryEffects(wrapper);
    return {left, clearing, {}};
}

Value *chooseSite(Instruction &before, Take &take, Constant *own) {
    IRBuilder<> builder(&before);
    Value *choice = builder.CreateSelect(builder.CreateIsNotNull(take.left), take.left, own);
    take.choices.push_back(cast<SelectInst>(choice));
    return choice;
}

void setSiteAside(Function &function) {
    Value *left = takeSite(function).left;
    for (BasicBlock &block : function)
        if (isa<ReturnInst>(block.getTerminator()) && !block.getTerminatingMustTailCall()) {
            IRBuilder<> builder(block.getTerminator());
            leave(builder, left);
        }
}

void leaveSite(const AllocatorCall &found, Value *site, Lifting &lifting) {
    CallBase &call = *found.call;
    IRBuilder<> builder(&call);
    StoreInst *leaving = leave(builder, site);
    forgetMemoryEffects(call);
    forgetMemoryEffects(*call.getFunction());
    if (takesSite(found))
        lifting.leaves[found.callee].push_back({&call, leaving});
    else if (auto *invoke = dyn_cast<InvokeInst>(&call))
        clear(*invoke->getNormalDest(), invoke->getNormalDest()->getFirstInsertionPt());
    else
        clear(*call.getParent(), std::next(call.getIterator()));
}

LoadInst *takingOf(Function &function) {
    const GlobalVariable *left = function.getParent()->getGlobalVariable(Variable);
    if (!left || function.isDeclaration())
        return nullptr;
    for (Instruction &instruction : function.getEntryBlock())
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->getPointerOperand() == left)
            return load;
    return nullptr;
}

/* What is before the code in so many words; nothing where what is there is none of ours. */
static std::optional<SmallVector<uint32_t, 8>> wordsBefore(const Function &function) {
    SmallVector<uint32_t, 8> words;
    if (!function.hasPrefixData())
        return words;
    auto *known = dyn_cast<ConstantDataArray>(function.getPrefixData());
    for (unsigned i = 0; known && i < known->getNumElements(); i++)
        words.push_back(known->getElementAsInteger(i));
    return known ? std::optional(words) : std::nullopt;
}

/* As many as keep the alignment of the code. What takes a site never begins a page, for then nobody would
 * look before it. */
static size_t wordsWanted(Function &function, CodeMark mark) {
    constexpr uint64_t Usual = 16;
    uint64_t align = function.getAlign() ? function.getAlign()->value() : 1;
    if (mark == MARK_TAKES && align <= Usual)
        function.setAlignment(Align(2 * Usual)), align = Usual;
    return std::max<uint64_t>(align / sizeof(uint32_t), mark);
}

void markCode(Function &function, CodeMark mark, uint32_t word) {
    std::optional<SmallVector<uint32_t, 8>> words = wordsBefore(function);
    if (!words)
        return;
    size_t wanted = mark == MARK_TAKES || words->empty() ? wordsWanted(function, mark) : 0;
    if (words->size() < wanted)
        words->insert(words->begin(), wanted - words->size(), 0);
    (*words)[words->size() - mark] = word;
    function.setPrefixData(ConstantDataArray::get(function.getContext(), *words));
}

/* The caller's, as the runtime gives it; null: nothing is counted. */
static Value *siteOfCaller(Instruction &before) {
    IRBuilder<> builder(&before);
    PointerType *pointer = pointerType(before.getContext());
    auto *type = FunctionType::get(pointer, {pointer}, false);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *address = builder.CreateIntrinsic(Intrinsic::returnaddress, {}, {builder.getInt32(0)});
    return builder.CreateCall(before.getModule()->getOrInsertFunction(ALLOCSITE_ENTRY_PREFIX "caller", type),
                              {address});
}

/* What a value is where it surely is what was left, and where it is the other one. */
static PHINode *either(LoadInst &left, Value *other, BasicBlock &cold, Instruction &before) {
    IRBuilder<> builder(&before);
    PHINode *value = builder.CreatePHI(left.getType(), 2);
    value->addIncoming(&left, left.getParent());
    value->addIncoming(other, &cold);
    return value;
}

/* The choices between that and own sites are made where nothing was left, so that they cost nobody else. */
static void fallBackOnCaller(LoadInst &left) {
    Instruction *next = left.getNextNode()->getNextNode(); // behind the store that takes it away
    IRBuilder<> builder(next);
    builder.SetCurrentDebugLocation(DebugLoc());
    SmallVector<User *, 4> users(left.users());
    Instruction *cold = SplitBlockAndInsertIfThen(builder.CreateIsNull(&left), next, false,
                                                  MDBuilder(left.getContext()).createBranchWeights(1, 1000));
    Value *found = siteOfCaller(*cold);
    PHINode *all = either(left, found, *cold->getParent(), *next);
    builder.SetInsertPoint(cold);
    for (User *user : users) {
        auto *choice = dyn_cast<SelectInst>(user);
        if (choice && choice->getTrueValue() == &left && isa<Constant>(choice->getFalseValue())) {
            Value *other =
                builder.CreateSelect(builder.CreateIsNotNull(found), found, choice->getFalseValue());
            choice->replaceAllUsesWith(either(left, other, *cold->getParent(), *next));
            choice->eraseFromParent();
        } else if (!isa<ICmpInst>(user)) {
            user->replaceUsesOfWith(&left, all);
        }
    }
    for (User *user : users)
        if (auto *test = dyn_cast<ICmpInst>(user); test && test->use_empty())
            test->eraseFromParent();
    if (all->use_empty())
        all->eraseFromParent();
}

void fallBackOnCallers(Module &module) {
    for (Function &function : module) {
        std::optional<Wrapper> wrapper = Wrappers::of(function);
        LoadInst *left = wrapper && !wrapper->isLibrary && !wrapper->keepsLine ? takingOf(function) : nullptr;
        if (left && !left->use_empty())
            fallBackOnCaller(*left);
    }
}

/* By the next call's site, before anything can allocate. */
static bool isOverwritten(const StoreInst &clearing) {
    for (const Instruction *next = clearing.getNextNode(); next; next = next->getNextNode()) {
        if (getLoadStorePointerOperand(next) == clearing.getPointerOperand())
            return isa<StoreInst>(next);
        if (isa<CallBase>(next) && !isa<IntrinsicInst>(next))
            return false;
    }
    return false;
}

void clearOnce(Module &module) {
    GlobalVariable *left = module.getGlobalVariable(Variable);
    if (!left)
        return;
    for (User *user : make_early_inc_range(left->users()))
        if (auto *clearing = dyn_cast<StoreInst>(user);
            clearing && isa<ConstantPointerNull>(clearing->getValueOperand()) && isOverwritten(*clearing))
            clearing->eraseFromParent();
}

} // namespace allocsite
