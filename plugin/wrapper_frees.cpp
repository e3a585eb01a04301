/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function gives blocks back for its callers if a parameter of its own is all that it frees. One that frees
 * more takes some thing apart, a destructor: the line that a person would name is in it. */
#include "wrapper_search.h"

#include <llvm/IR/InstIterator.h>

#include "find.h"

using namespace llvm;

namespace allocsite {

/* Which argument the call gives back, from 1; 0: none. */
static unsigned freedArgument(const CallBase &call, const FoundWrappers &found) {
    if (const allocator *what = allocatorCalled(call))
        return what->kind == ALLOCSITE_FREE ? argumentsOf(*what).pointer : 0;
    Function *callee = surelyCalled(call);
    auto known = callee ? found.find(callee) : found.end();
    if (known == found.end() || known->second.wrapper.kind != ALLOCSITE_FREE)
        return 0;
    return known->second.wrapper.pointer;
}

/* The parameters that may be freed by the call; 0: it frees something else, too. */
static ParameterSet freedParameters(const CallBase &call, unsigned argument, Flow &flow) {
    if (argument > call.arg_size())
        return 0;
    Origins origins = flow.originsOf(call.getArgOperand(argument - 1));
    return origins.isUnknown || !origins.calls.empty() ? 0 : origins.parameters;
}

/* False: it calls itself for another block than its own, as what takes a tree apart does. */
static bool handOnToItself(Function &function, Flow &flow, FoundWrapper &wrapper) {
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || surelyCalled(*call) != &function)
            continue;
        if (!freedParameters(*call, wrapper.wrapper.pointer, flow))
            return false;
        wrapper.handedOn.insert(call);
    }
    return true;
}

static bool isFree(Function &function, Flow &flow, const FoundWrappers &found, FoundWrapper &result) {
    ParameterSet freed = 0;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        unsigned argument = call ? freedArgument(*call, found) : 0;
        if (!argument)
            continue;
        ParameterSet parameters = freedParameters(*call, argument, flow);
        if (!parameters)
            return false;
        freed |= parameters;
        result.handedOn.insert(call);
    }
    result.wrapper.kind = ALLOCSITE_FREE;
    result.wrapper.pointer = freed ? firstOf(freed) : 0;
    return freed && handOnToItself(function, flow, result);
}

/* Virtual destructors that delete are called by vtables, which nobody sees through. */
static bool isDeletingDestructor(const Function &function) {
    return function.getName().contains("D0Ev");
}

static void addCallers(const Function &function, SmallVectorImpl<Function *> &next) {
    for (const Use &use : function.uses())
        if (auto *call = dyn_cast<CallBase>(use.getUser()); call && call->isCallee(&use))
            next.push_back(const_cast<CallBase *>(call)->getFunction());
}

void searchFrees(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                 FoundWrappers &found) {
    SmallVector<Function *, 16> next;
    for (Function &function : module) {
        auto known = found.find(&function);
        bool frees =
            isAllocator(function) || (known != found.end() && known->second.wrapper.kind == ALLOCSITE_FREE);
        if (frees)
            addCallers(function, next);
    }
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        FoundWrapper result;
        if (!function->getReturnType()->isVoidTy() || !maySearch(*function) || ignored.count(function) ||
            found.count(function) || isDeletingDestructor(*function) ||
            !isFree(*function, flow, found, result))
            continue;
        found.insert({function, result});
        addCallers(*function, next);
    }
}

/* A realloc to nothing frees: the caller's doing as well. */
void handOnFrees(Function &function, Flow &flow, const FoundWrappers &found, FoundWrapper &wrapper) {
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        unsigned argument = call ? freedArgument(*call, found) : 0;
        if (argument && freedParameters(*call, argument, flow))
            wrapper.handedOn.insert(call);
    }
}

} // namespace allocsite
