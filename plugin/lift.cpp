/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lift.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include "../rt/format.h"
#include "compat.h"
#include "wrappers.h"

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

static void clear(BasicBlock &block, BasicBlock::iterator where) {
    IRBuilder<> builder(&block, where);
    builder.SetCurrentDebugLocation(DebugLoc());
    store(builder, ConstantPointerNull::get(pointerType(block.getContext())));
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
    StoreInst *clearing = store(builder, ConstantPointerNull::get(type));
    forgetMemoryEffects(wrapper);
    return {left, clearing, {}};
}

Value *chooseSite(Instruction &before, Take &take, Constant *own) {
    IRBuilder<> builder(&before);
    Value *choice = builder.CreateSelect(builder.CreateIsNotNull(take.left), take.left, own);
    take.choices.push_back(cast<SelectInst>(choice));
    return choice;
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

static BasicBlock *addLandingPad(Function &function) {
    LLVMContext &context = function.getContext();
    BasicBlock *block = BasicBlock::Create(context, "", &function);
    IRBuilder<> builder(block);
    Type *type = StructType::get(pointerType(context), builder.getInt32Ty());
    LandingPadInst *pad = builder.CreateLandingPad(type, 0);
    pad->setCleanup(true);
    store(builder, ConstantPointerNull::get(pointerType(context)));
    builder.CreateResume(pad);
    return block;
}

/* A frame without landing pads needs none: the runtime's personality costs it no code. */
static void setPersonality(Function &function) {
    auto *type = FunctionType::get(Type::getInt32Ty(function.getContext()), true);
    FunctionCallee personality =
        function.getParent()->getOrInsertFunction(ALLOCSITE_ENTRY_PREFIX "personality", type);
    function.setPersonalityFn(cast<Constant>(personality.getCallee()));
}

static void clearAtLandingPads(Function &function, ArrayRef<CallBase *> leaving) {
    SmallPtrSet<BasicBlock *, 8> cleared;
    BasicBlock *pad = nullptr;
    for (CallBase *call : leaving) {
        if (auto *invoke = dyn_cast<InvokeInst>(call)) {
            BasicBlock *block = invoke->getUnwindDest();
            if (cleared.insert(block).second)
                clear(*block, block->getFirstInsertionPt());
        } else if (!call->doesNotThrow()) {
            pad = pad ? pad : addLandingPad(function);
            changeToInvokeAndSplitBasicBlock(cast<CallInst>(call), pad);
        }
    }
}

void clearWhenUnwound(Function &function, ArrayRef<AllocatorCall> calls) {
    SmallVector<CallBase *, 8> leaving;
    for (const AllocatorCall &found : calls)
        if (!found.what && !takesSite(found))
            leaving.push_back(found.call);
    if (!leaving.empty() && function.hasPersonalityFn())
        clearAtLandingPads(function, leaving);
    else if (!leaving.empty() && function.needsUnwindTableEntry())
        setPersonality(function);
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
