/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts as 64-bit numbers (Bond and McKinley, Probabilistic Calling Context, OOPSLA 2007). A
 * function computes its number from its caller's number, which it reads from a thread-local variable, and
 * from its return address. Before each call that may reach an allocation it stores its number in the
 * variable, or passes it to the runtime's entry point. The variable needs no restoring when a call returns,
 * throws or jumps.
 *
 * The runtime relies on one invariant (rt/lib/paths/contexts.h): a number is computed from exactly the return
 * addresses on the stack. So a call that may reach an allocation is never a tail call. A tail call that
 * cannot become an ordinary call (emit/tail_calls.h) leaves no frame, so its callee reads the number of the
 * caller's caller. If the code generator makes an ordinary call of it after all, the callee's number lacks an
 * address, always at this call, so no stack with this call is certain (rt/lib/paths/contexts.h). */
#include "emit/entry_call.h"
#include "emit/passes.h"
#include "emit/tail_calls.h"

#include "base/compat.h"
#include "base/settings.h"
#include "find/find.h"
#include "format.h"
#include "pass/pass.h"

#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
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

static constexpr const char *VariableName = ALLOCSITE_ENTRY_PREFIX "context";

/* Callees access the variable without the optimizer's knowledge, and a later optimizer (LTO) relies on
 * attributes that were inferred before the accesses existed. Volatile accesses stay. */
static constexpr bool IsVolatile = true;

/* Returns whether the code becomes part of an executable: it is compiled without -fPIC. */
static bool isForExecutable(const Module &module) {
    bool isPic = module.getPICLevel() != PICLevel::NotPIC && module.getPIELevel() == PIELevel::Default;
    return !isPic && !options().shared;
}

/* An executable defines the variable, so its code reaches it by one instruction; the dynamic linker binds the
 * runtime and shared objects to this definition. If the executable defines no such variable, they share the
 * runtime's. */
static Constant *contextVariable(Module &module) {
    Type *type = Type::getInt64Ty(module.getContext());
    return module.getOrInsertGlobal(VariableName, type, [&] {
        bool isHere = isForExecutable(module);
        return new GlobalVariable(
            module, type, false, isHere ? GlobalValue::WeakAnyLinkage : GlobalValue::ExternalLinkage,
            isHere ? ConstantInt::get(type, ALLOCSITE_CONTEXT_FIRST) : nullptr, VariableName, nullptr,
            isHere ? GlobalValue::LocalExecTLSModel : GlobalValue::InitialExecTLSModel);
    });
}

static void storeContext(Instruction &before, Value *context) {
    IRBuilder<> builder(&before);
    builder.SetCurrentDebugLocation(DebugLoc());
    builder.CreateStore(context, contextVariable(*before.getModule()), IsVolatile);
}

/* Returns whether the function has the type of a signal handler and its address is taken. The code that a
 * handler interrupts may already have stored its number, so the handler restores it. */
static bool mayBeHandler(const Function &function) {
    const FunctionType *type = function.getFunctionType();
    bool isFirst = type->getReturnType()->isVoidTy() && !type->isVarArg() && type->getNumParams() > 0 &&
                   type->getParamType(0)->isIntegerTy(32);
    bool isSecond = isFirst && type->getNumParams() == 3 && type->getParamType(1)->isPointerTy() &&
                    type->getParamType(2)->isPointerTy();
    return isFirst && (type->getNumParams() == 1 || isSecond) && function.hasAddressTaken();
}

/* Returns whether the caller's number must be read at entry. After setjmp returns a second time, for example,
 * the variable may hold another number. */
static bool isReadAtEntry(const Function &function) {
    return function.hasOptNone() || mayBeHandler(function) || function.callsFunctionThatReturnsTwice();
}

/* Returns whether the block is in a loop. In the second iteration of a loop the variable may hold another
 * number. */
static bool isInLoop(BasicBlock &block) {
    SmallVector<BasicBlock *, 8> next(successors(&block));
    return !next.empty() && isPotentiallyReachableFromMany(next, &block, nullptr);
}

using Blocks = SetVector<BasicBlock *>;

/* Adds the blocks from which these are reached. */
static Blocks withBlocksBefore(Blocks blocks) {
    for (size_t i = 0; i < blocks.size(); i++)
        for (BasicBlock *predecessor : predecessors(blocks[i]))
            blocks.insert(predecessor);
    return blocks;
}

/* Joins each block with its successors in `within`, and these with theirs. */
static void joinAfter(Blocks blocks, const Blocks &within, EquivalenceClasses<BasicBlock *> &classes) {
    for (size_t i = 0; i < blocks.size(); i++)
        for (BasicBlock *successor : successors(blocks[i]))
            if (within.contains(successor)) {
                classes.unionSets(blocks[i], successor);
                blocks.insert(successor);
            }
}

/* Divides the calls into groups. A call is in one group with the calls that may run after it. So when the
 * first call of a group runs, the variable still holds the caller's number, and each group can read it for
 * itself: late, and only on the paths to its calls. */
static std::vector<Calls> groupCalls(const Calls &calls) {
    EquivalenceClasses<BasicBlock *> classes;
    Blocks blocks;
    for (CallBase *call : calls)
        blocks.insert(call->getParent());
    joinAfter(blocks, withBlocksBefore(blocks), classes);
    MapVector<BasicBlock *, Calls> groups;
    for (CallBase *call : calls)
        groups[classes.getOrInsertLeaderValue(call->getParent())].push_back(call);
    std::vector<Calls> result;
    for (auto &group : groups)
        result.push_back(std::move(group.second));
    return result;
}

static BasicBlock *dominatorOf(const Calls &calls, const DominatorTree &tree) {
    BasicBlock *block = nullptr;
    for (CallBase *call : calls)
        if (BasicBlock *at = call->getParent(); tree.isReachableFromEntry(at))
            block = block ? tree.findNearestCommonDominator(block, at) : at;
    return block;
}

/* Returns the instruction before which the caller's number is read for a group of calls. It dominates them
 * and runs once, but as late as possible, so that other paths pay nothing. */
static Instruction &readPosition(const Calls &calls, const DominatorTree &tree) {
    BasicBlock *entry = tree.getRoot(), *block = dominatorOf(calls, tree);
    while (block && block != entry && (block->isEHPad() || isInLoop(*block)))
        block = tree.getNode(block)->getIDom()->getBlock();
    block = block ? block : entry;
    for (CallBase *call : calls) // in the order of the code
        if (call->getParent() == block)
            return *call;
    return *block->getTerminator();
}

static Instruction &firstPosition(Function &function) {
    BasicBlock::iterator at = function.getEntryBlock().getFirstInsertionPt();
    while (isa<AllocaInst>(*at))
        ++at;
    return *at;
}

/* Computes the function's number from its caller's. */
static Value *computeContext(IRBuilder<> &builder, Value *callers) {
    Value *address = builder.CreateIntrinsic(Intrinsic::returnaddress, {}, {builder.getInt32(0)});
    return builder.CreateAdd(builder.CreateMul(callers, builder.getInt64(ALLOCSITE_CONTEXT_FACTOR)),
                             builder.CreatePtrToInt(address, builder.getInt64Ty()), "allocsite.context");
}

static void restoreAtReturns(Function &function, Value *callers) {
    for (BasicBlock &block : function)
        if (isa<ReturnInst>(block.getTerminator()) && !block.getTerminatingMustTailCall())
            storeContext(*block.getTerminator(), callers);
}

static Calls callsOf(Function &function, const Reaching &reaching) {
    Calls calls;
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && reaching.mayAllocate(*call))
            calls.push_back(call);
    return calls;
}

/* Several calls of one entry point in a function get different numbers if the entry reads the number from the
 * variable, because it may not see its own return address. */
static constexpr uint64_t CopyStep = 0x3C6EF372;

using Copies = DenseMap<Value *, uint64_t>; // number of calls so far, by callee

static Value *contextOf(CallBase &call, Value *current, Copies &copies) {
    auto *callee = dyn_cast<Function>(call.getCalledOperand());
    bool isEntry = callee && callee->getName().find(ALLOCSITE_ENTRY_PREFIX) == 0;
    uint64_t before = isEntry ? copies[callee]++ : 0;
    IRBuilder<> builder(&call);
    builder.SetCurrentDebugLocation(DebugLoc());
    return before ? builder.CreateAdd(current, builder.getInt64(before * CopyStep)) : current;
}

/* Returns whether the entry point takes the number as an argument. */
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

struct Contexts {
    Value *callers, *current;
};

/* Passes the number to the callee: to an entry point as an argument, to other functions in the variable. */
static void passContext(CallBase &call, const Contexts &contexts, const TailCalls &tailCalls,
                        Copies &copies) {
    auto *callee = dyn_cast<Function>(call.getCalledOperand());
    if (!isNoTailCall(call, tailCalls)) {
        storeContext(call, contexts.callers);
        forgetMemoryEffects(call);
        return;
    }
    if (!callee || !takesContext(callee->getName()) || call.getFunctionType()->isVarArg()) {
        storeContext(call, contextOf(call, contexts.current, copies));
        forgetMemoryEffects(call);
        return;
    }
    Arguments arguments = withSite(call, contexts.current);
    replaceWithCall(call, entryByContext(*callee, arguments.types), arguments);
}

/* Reads the caller's number. In a new thread the variable has its initial value. main is called once and
 * takes a constant, because constructors may have stored numbers before. */
static Value *readCallers(IRBuilder<> &builder, Function &function) {
    Type *type = builder.getInt64Ty();
    if (function.getName() == "main" && function.hasExternalLinkage())
        return ConstantInt::get(type, ALLOCSITE_CONTEXT_FIRST);
    return builder.CreateLoad(type, contextVariable(*function.getParent()), IsVolatile);
}

/* Reads the caller's number at `where` and passes the function's number to the calls. Returns the caller's
 * number. */
static Value *readAndPass(Instruction &where, const Calls &calls, const TailCalls &tailCalls,
                          Copies &copies) {
    IRBuilder<> builder(&where);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *callers = readCallers(builder, *where.getFunction());
    Contexts contexts = {callers, computeContext(builder, callers)};
    for (CallBase *call : calls)
        passContext(*call, contexts, tailCalls, copies);
    return callers;
}

/* Returns whether a handler can restore the number before it returns. A store before the return would turn a
 * tail call that has to stay into an ordinary call. */
static bool isRestoring(const Function &function, const Calls &calls, const TailCalls &tailCalls) {
    return mayBeHandler(function) && none_of(calls, [&](const CallBase *call) {
               auto *plain = dyn_cast<CallInst>(call);
               return plain && tailCalls.mayCloseCycle(*plain);
           });
}

/* Puts a mark before the function's code. The runtime recognizes functions that keep contexts by this mark.
 * The mark has as many words as the alignment of the code requires. Functions that already have prefix data
 * (-fsanitize=function) get no mark. */
static void markCode(Function &function) {
    if (function.hasPrefixData())
        return;
    uint64_t align = function.getAlign() ? function.getAlign()->value() : 1;
    SmallVector<uint32_t, 8> words(std::max<uint64_t>(align / sizeof(uint32_t), 1));
    words.back() =
        function.hasFnAttribute(PassesAttribute) ? ALLOCSITE_CONTEXT_MARK_PASSES : ALLOCSITE_CONTEXT_MARK;
    function.setPrefixData(ConstantDataArray::get(function.getContext(), words));
}

static void keepContext(Function &function, const Calls &calls, const TailCalls &tailCalls) {
    Copies copies;
    if (isReadAtEntry(function)) {
        bool restores = isRestoring(function, calls, tailCalls);
        Value *callers = readAndPass(firstPosition(function), calls, tailCalls, copies);
        if (restores)
            restoreAtReturns(function, callers);
    } else {
        DominatorTree tree(function);
        for (const Calls &group : groupCalls(calls))
            readAndPass(readPosition(group, tree), group, tailCalls, copies);
    }
    forgetMemoryEffects(function);
    markCode(function);
}

/* The runtime keeps contexts if a module defines this symbol. Its value is the capacity of the context
 * table. */
static constexpr uint32_t MaxContexts = 1 << 16;

static void enableContexts(Module &module) {
    auto *type = Type::getInt32Ty(module.getContext());
    auto *maxContexts =
        new GlobalVariable(module, type, true, GlobalValue::LinkOnceODRLinkage,
                           ConstantInt::get(type, MaxContexts), ALLOCSITE_ENTRY_PREFIX "contexts");
    maxContexts->setComdat(module.getOrInsertComdat(maxContexts->getName()));
    appendToUsed(module, {maxContexts});
}

PreservedAnalyses ContextPass::run(Module &module, ModuleAnalysisManager &) {
    if (!options().contexts || !hasRuntime(module))
        return PreservedAnalyses::all();
    Reaching reaching(module, false);
    TailCalls tailCalls(module);
    for (Function &function : module)
        if (Calls calls = isInstrumented(function) ? callsOf(function, reaching) : Calls(); !calls.empty())
            keepContext(function, calls, tailCalls);
    enableContexts(module);
    return PreservedAnalyses::none();
}

} // namespace allocsite
