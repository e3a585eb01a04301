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

static StoreInst *store(IRBuilder<> &builder, Value *site) {
    return builder.CreateStore(site, variable(*builder.GetInsertBlock()->getModule()), IsVolatile);
}

StoreInst *clearSite(IRBuilder<> &builder) {
    builder.SetCurrentDebugLocation(DebugLoc());
    return store(builder, ConstantPointerNull::get(pointerType(builder.getContext())));
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
            store(builder, left);
        }
}

void leaveSite(const AllocatorCall &found, Value *site, Lifting &lifting) {
    CallBase &call = *found.call;
    IRBuilder<> builder(&call);
    StoreInst *leaving = store(builder, site);
    forgetMemoryEffects(call);
    forgetMemoryEffects(*call.getFunction());
    if (takesSite(found))
        lifting.leaves[found.callee].push_back({&call, leaving});
    else if (auto *invoke = dyn_cast<InvokeInst>(&call))
        clear(*invoke->getNormalDest(), invoke->getNormalDest()->getFirstInsertionPt());
    else
        clear(*call.getParent(), std::next(call.getIterator()));
}

/* The taking of a function: a load of what was left, and the store behind that takes it away. */
static LoadInst *takingOf(Function &function) {
    for (Instruction &instruction : function.getEntryBlock())
        if (auto *load = dyn_cast<LoadInst>(&instruction);
            load && load->getPointerOperand() == variable(*function.getParent()) && !load->use_empty())
            return load;
    return nullptr;
}

static void fallBackOnCaller(LoadInst &left) {
    Instruction *clearing = left.getNextNode();
    Instruction *next = clearing->getNextNode();
    LLVMContext &context = left.getContext();
    IRBuilder<> builder(next);
    builder.SetCurrentDebugLocation(DebugLoc());
    Instruction *cold = SplitBlockAndInsertIfThen(builder.CreateIsNull(&left), next, false,
                                                  MDBuilder(context).createBranchWeights(1, 1000));
    PointerType *pointer = pointerType(context);
    builder.SetInsertPoint(cold);
    Module &module = *left.getModule();
    Value *address = builder.CreateIntrinsic(Intrinsic::returnaddress, {},
                                             {ConstantInt::get(Type::getInt32Ty(context), 0)});
    FunctionCallee caller = module.getOrInsertFunction(ALLOCSITE_ENTRY_PREFIX "caller",
                                                       FunctionType::get(pointer, {pointer}, false));
    Value *found = builder.CreateCall(caller, {address});
    builder.SetInsertPoint(next);
    PHINode *either = builder.CreatePHI(pointer, 2);
    left.replaceUsesWithIf(either, [&](Use &use) {
        auto *user = cast<Instruction>(use.getUser());
        return user != cast<Instruction>(clearing) && user->getParent() != left.getParent();
    });
    either->addIncoming(&left, left.getParent());
    either->addIncoming(found, cold->getParent());
}

void fallBackOnCallers(Module &module) {
    for (Function &function : module) {
        std::optional<Wrapper> wrapper = Wrappers::of(function);
        LoadInst *left =
            wrapper && !wrapper->isLibrary && !function.isDeclaration() ? takingOf(function) : nullptr;
        if (left)
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
