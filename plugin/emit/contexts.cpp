/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts as numbers (Bond and McKinley, Probabilistic Calling Context, OOPSLA 2007). A function
 * makes its number of two things: its caller's number, which it reads from a thread-local variable of the
 * runtime, and the address that it returns to. It stores its own number there before each call that may come
 * to an allocation, or passes it to an entry of the runtime. Nothing has to be restored, however a call is
 * left.
 *
 * The runtime relies on one invariant (rt/lib/paths/contexts.h): a number is made of exactly the return
 * addresses that are on the stack. So a call that may come to an allocation is no tail call. Where a tail
 * call has to stay (emit/tail_calls.h), its callee must not find the number of a frame that is gone:
 *  - musttail surely leaves no frame, so the callee finds what the caller has found;
 *  - of others only the code generator decides, so the callee finds CONTEXT_UNKNOWN, which no stack has. */
#include "emit/entry_call.h"
#include "emit/passes.h"
#include "emit/tail_calls.h"

#include "base/compat.h"
#include "base/settings.h"
#include "find/find.h"
#include "format.h"
#include "pass/pass.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

using namespace llvm;

namespace allocsite {

using Calls = SmallVector<CallBase *, 16>;

static constexpr const char *Variable = ALLOCSITE_ENTRY_PREFIX "context";

/* What calls do with it no optimizer knows, least of all one that comes later (LTO) and goes by what was
 * found out before. */
static constexpr bool IsVolatile = true;

static Constant *variable(Module &module) {
    Type *type = Type::getInt64Ty(module.getContext());
    return module.getOrInsertGlobal(Variable, type, [&] {
        return new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage, nullptr, Variable,
                                  nullptr, GlobalValue::InitialExecTLSModel);
    });
}

static void store(Instruction &before, Value *context) {
    IRBuilder<> builder(&before);
    builder.SetCurrentDebugLocation(DebugLoc());
    builder.CreateStore(context, variable(*before.getModule()), IsVolatile);
}

/* A function that the address is taken of, which can be a signal handler: what it interrupts may have stored
 * already. */
static bool mayBeHandler(const Function &function) {
    const FunctionType *type = function.getFunctionType();
    bool isFirst = type->getReturnType()->isVoidTy() && !type->isVarArg() && type->getNumParams() > 0 &&
                   type->getParamType(0)->isIntegerTy(32);
    bool isSecond = isFirst && type->getNumParams() == 3 && type->getParamType(1)->isPointerTy() &&
                    type->getParamType(2)->isPointerTy();
    return isFirst && (type->getNumParams() == 1 || isSecond) && function.hasAddressTaken();
}

/* Where control may come back to, what was stored may have been replaced. */
static bool comesBack(BasicBlock &block) {
    SmallVector<BasicBlock *, 8> next(successors(&block));
    return !next.empty() && isPotentiallyReachableFromMany(next, &block, nullptr);
}

/* Where setjmp has returned a second time, what was stored may have been replaced, too. */
static bool isReadAtEntry(const Function &function) {
    return function.hasOptNone() || mayBeHandler(function) || function.callsFunctionThatReturnsTwice();
}

/* The blocks to which control comes from any of these. */
static SmallPtrSet<BasicBlock *, 16> blocksBehind(SmallVector<BasicBlock *, 16> next) {
    SmallPtrSet<BasicBlock *, 16> behind;
    while (!next.empty())
        for (BasicBlock *block : successors(next.pop_back_val()))
            if (behind.insert(block).second)
                next.push_back(block);
    return behind;
}

static bool isEnd(const CallBase *call) {
    return isa<UnreachableInst>(call->getParent()->getTerminator());
}

/* Takes out, by blocks, those behind which the function does not go on, as of a failure, where none of the
 * others has been before: what these store is read where they are, so that it costs nothing elsewhere. */
static std::vector<Calls> takeEnding(Calls &calls) {
    std::vector<Calls> ending;
    Calls others;
    SmallVector<BasicBlock *, 16> from;
    for (CallBase *call : calls)
        if (!isEnd(call))
            from.push_back(call->getParent());
    SmallPtrSet<BasicBlock *, 16> behind = blocksBehind(from);
    for (CallBase *call : calls) {
        BasicBlock *block = call->getParent();
        if (!isEnd(call) || behind.contains(block)) {
            others.push_back(call);
            continue;
        }
        if (ending.empty() || ending.back().front()->getParent() != block)
            ending.emplace_back();
        ending.back().push_back(call);
    }
    calls = others;
    return ending;
}

/* The instruction before which the caller's is read: every call is behind it and it runs once, but as late as
 * can be, for what a function does without a call that allocates is to cost nothing. */
static Instruction &reading(Function &function, const Calls &calls) {
    BasicBlock *entry = &function.getEntryBlock(), *block = nullptr;
    DominatorTree tree;
    if (!isReadAtEntry(function)) {
        tree.recalculate(function);
        for (CallBase *call : calls)
            if (BasicBlock *at = call->getParent(); tree.isReachableFromEntry(at))
                block = block ? tree.findNearestCommonDominator(block, at) : at;
        while (block && block != entry && (block->isEHPad() || comesBack(*block)))
            block = tree.getNode(block)->getIDom()->getBlock();
    }
    block = block ? block : entry;
    BasicBlock::iterator at = block->getFirstInsertionPt();
    while (isa<AllocaInst>(*at))
        ++at;
    for (CallBase *call : calls)
        if (call->getParent() == block && call->comesBefore(&*at))
            return *call;
    return *at;
}

/* Makes the function's number of its caller's. */
static Value *own(IRBuilder<> &builder, Value *callers) {
    Value *address = builder.CreateIntrinsic(Intrinsic::returnaddress, {}, {builder.getInt32(0)});
    return builder.CreateAdd(builder.CreateMul(callers, builder.getInt64(ALLOCSITE_CONTEXT_FACTOR)),
                             builder.CreatePtrToInt(address, builder.getInt64Ty()), "allocsite.context");
}

static void restoreAtReturns(Function &function, Value *callers) {
    for (BasicBlock &block : function)
        if (isa<ReturnInst>(block.getTerminator()) && !block.getTerminatingMustTailCall())
            store(*block.getTerminator(), callers);
}

static Calls callsOf(Function &function, const Reaching &reaching) {
    Calls calls;
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && reaching.mayAllocate(*call))
            calls.push_back(call);
    return calls;
}

/* Copies of one call of an entry that finds the context in the variable are told apart: it may not see where
 * it returns to. */
static constexpr uint64_t CopyStep = 0x3C6EF372;

using Copies = DenseMap<Value *, uint64_t>; // so far, of each callee

static Value *contextOf(CallBase &call, Value *own, Copies &copies) {
    auto *callee = dyn_cast<Function>(call.getCalledOperand());
    bool isEntry = callee && callee->getName().find(ALLOCSITE_ENTRY_PREFIX) == 0;
    uint64_t before = isEntry ? copies[callee]++ : 0;
    IRBuilder<> builder(&call);
    builder.SetCurrentDebugLocation(DebugLoc());
    return before ? builder.CreateAdd(own, builder.getInt64(before * CopyStep)) : own;
}

/* An entry that the context is passed to. */
static bool takesContext(StringRef name) {
    return name.consume_front(ALLOCSITE_ENTRY_PREFIX) &&
           (name == "malloc" || name == "calloc" || name == "realloc" || name == "strdup" ||
            name == "strndup" || name == "_Znwm" || name == "_Znam");
}

static FunctionCallee entryByContext(Function &entry, ArrayRef<Type *> types) {
    auto *type = FunctionType::get(entry.getReturnType(), types, false);
    std::string name = (entry.getName() + ALLOCSITE_BY_CONTEXT_SUFFIX).str();
    FunctionCallee callee = entry.getParent()->getOrInsertFunction(name, type);
    if (auto *function = dyn_cast<Function>(callee.getCallee()); function && function->use_empty()) {
        function->setCallingConv(entry.getCallingConv());
        function->setAttributes(entry.getAttributes());
        forgetMemoryEffects(*function);
    }
    return FunctionCallee(type, callee.getCallee());
}

static bool isNoTailCall(CallBase &call, const TailCalls &tailCalls) {
    auto *plain = dyn_cast<CallInst>(&call);
    if (!plain)
        return true;
    if (plain->isMustTailCall() || tailCalls.mayCloseCycle(*plain))
        return false;
    plain->setTailCallKind(CallInst::TCK_NoTail);
    return true;
}

/* Lets the callee of a call that leaves no frame, or perhaps none, find what it is to make its number of. */
static void storeForTailCall(CallBase &call, Value *callers) {
    store(call,
          call.isMustTailCall() ? callers : ConstantInt::get(callers->getType(), ALLOCSITE_CONTEXT_UNKNOWN));
    forgetMemoryEffects(call);
}

struct Contexts {
    Value *callers, *own;
};

/* Has the callee know the context: its entry as a parameter, or it finds it in the variable. */
static void pass(CallBase &call, const Contexts &contexts, const TailCalls &tailCalls, Copies &copies) {
    auto *callee = dyn_cast<Function>(call.getCalledOperand());
    if (!isNoTailCall(call, tailCalls)) {
        storeForTailCall(call, contexts.callers);
        return;
    }
    if (!callee || !takesContext(callee->getName()) || call.getFunctionType()->isVarArg()) {
        store(call, contextOf(call, contexts.own, copies));
        forgetMemoryEffects(call);
        return;
    }
    Arguments arguments = withSite(call, contexts.own, SITE_LAST);
    callInstead(call, entryByContext(*callee, arguments.types), arguments);
}

/* Nobody has stored before the first function of a thread is called, so that is what it finds. In the first
 * thread constructors may have run before main, which is called once. */
static Value *readCallers(IRBuilder<> &builder, Function &function) {
    Type *type = builder.getInt64Ty();
    if (function.getName() == "main" && function.hasExternalLinkage())
        return ConstantInt::get(type, ALLOCSITE_CONTEXT_FIRST);
    return builder.CreateLoad(type, variable(*function.getParent()), IsVolatile);
}

/* Returns what the caller has stored. */
static Value *readAndPass(Instruction &where, const Calls &calls, const TailCalls &tailCalls,
                          Copies &copies) {
    IRBuilder<> builder(&where);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *callers = readCallers(builder, *where.getFunction());
    Contexts contexts = {callers, own(builder, callers)};
    for (CallBase *call : calls)
        pass(*call, contexts, tailCalls, copies);
    return callers;
}

/* A store before the return would make an ordinary call of a tail call. */
static bool isRestoring(const Function &function, const Calls &calls, const TailCalls &tailCalls) {
    return mayBeHandler(function) && none_of(calls, [&](const CallBase *call) {
               auto *plain = dyn_cast<CallInst>(call);
               return plain && tailCalls.mayCloseCycle(*plain);
           });
}

/* Puts the mark by which the runtime knows such a function before its code, in as many words as keep the
 * alignment of the code. Functions that have prefix data already
 * (-fsanitize=function) keep it. */
static void markCode(Function &function) {
    if (function.hasPrefixData())
        return;
    uint64_t align = function.getAlign() ? function.getAlign()->value() : 1;
    SmallVector<uint32_t, 8> words(std::max<uint64_t>(align / sizeof(uint32_t), 1));
    words.back() =
        function.hasFnAttribute(PassesAttribute) ? ALLOCSITE_CONTEXT_MARK_PASSES : ALLOCSITE_CONTEXT_MARK;
    function.setPrefixData(ConstantDataArray::get(function.getContext(), words));
}

static void keepContext(Function &function, Calls &calls, const TailCalls &tailCalls) {
    Copies copies;
    bool restores = isRestoring(function, calls, tailCalls);
    std::vector<Calls> ending = isReadAtEntry(function) ? std::vector<Calls>() : takeEnding(calls);
    for (const Calls &of_block : ending)
        readAndPass(*of_block.front(), of_block, tailCalls, copies);
    if (!calls.empty()) {
        Value *callers = readAndPass(reading(function, calls), calls, tailCalls, copies);
        if (restores)
            restoreAtReturns(function, callers);
    }
    forgetMemoryEffects(function);
    markCode(function);
}

/* By which the runtime knows that contexts are wanted, and how many. */
static constexpr uint32_t Most = 1 << 16;

static void tellRuntime(Module &module) {
    auto *type = Type::getInt32Ty(module.getContext());
    auto *most = new GlobalVariable(module, type, true, GlobalValue::LinkOnceODRLinkage,
                                    ConstantInt::get(type, Most), ALLOCSITE_ENTRY_PREFIX "contexts");
    most->setComdat(module.getOrInsertComdat(most->getName()));
    appendToUsed(module, {most});
}

PreservedAnalyses ContextPass::run(Module &module, ModuleAnalysisManager &) {
    if (!options().contexts || !hasRuntime(module))
        return PreservedAnalyses::all();
    Reaching reaching(module, false);
    TailCalls tailCalls(module);
    for (Function &function : module)
        if (Calls calls = isInstrumented(function) ? callsOf(function, reaching) : Calls(); !calls.empty())
            keepContext(function, calls, tailCalls);
    tellRuntime(module);
    return PreservedAnalyses::none();
}

} // namespace allocsite
