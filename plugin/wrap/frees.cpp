/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function gives blocks back for its callers if a parameter of its own is all that it frees. One that
 * frees more takes some thing apart, a destructor: the line that a person would name is in it. */
#include "wrap/bodies.h"

#include "find/find.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;

namespace allocsite {

/* The argument that the call gives back, surely or if the linker finds that it does, from 1; 0: none. */
static unsigned freedArgument(const CallBase &call, const FoundWrappers &found, bool isSure) {
    if (const allocator *what = allocatorCalled(call))
        return isSure && what->kind == ALLOCSITE_FREE ? argumentsOf(*what).pointer : 0;
    Function *callee = surelyCalled(call);
    auto known = callee ? found.find(callee) : found.end();
    if (known == found.end() || known->second.wrapper.kind != ALLOCSITE_FREE ||
        known->second.wrapper.isPossible == isSure)
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

/* ---- Hooks. */

/* By any name for it. */
static const DIType *withoutNames(const DIType *type) {
    auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    while (derived &&
           (derived->getTag() == dwarf::DW_TAG_typedef || derived->getTag() == dwarf::DW_TAG_restrict_type)) {
        type = derived->getBaseType();
        derived = dyn_cast_or_null<DIDerivedType>(type);
    }
    return type;
}

/* Raw memory, or characters. */
static bool isMemory(const DIType *type) {
    auto *pointer = dyn_cast_or_null<DIDerivedType>(withoutNames(type));
    if (!pointer || pointer->getTag() != dwarf::DW_TAG_pointer_type)
        return false;
    const DIType *pointee = withoutNames(pointer->getBaseType());
    auto *basic = dyn_cast_or_null<DIBasicType>(pointee);
    return !pointee || (basic && (basic->getEncoding() == dwarf::DW_ATE_signed_char ||
                                  basic->getEncoding() == dwarf::DW_ATE_unsigned_char));
}

/* The only parameter that can be a block by what the source declares, if other files see that as well. */
static ParameterSet blockParameter(const Function &function) {
    const DISubprogram *subprogram = function.getSubprogram();
    auto types = subprogram->getType() ? subprogram->getType()->getTypeArray() : nullptr;
    if (!types || types.size() != function.arg_size() + 1 ||
        (!function.hasLocalLinkage() && function.arg_size() > 2))
        return 0;
    ParameterSet block = 0;
    for (unsigned i = 1; i < types.size(); i++)
        if (isMemory(types[i])) {
            if (block)
                return 0;
            block = parameterSet(i);
        }
    return block;
}

/* A pointer in a structure or a variable that others set, which returns nothing or is asked for nothing. */
static bool mayFreeByPointer(const CallBase &call) {
    if (!call.isIndirectCall() || call.isMustTailCall() || surelyCalled(call))
        return false;
    bool isForNothing = call.getType()->isPointerTy() && !call.arg_empty() &&
                        match(call.getArgOperand(call.arg_size() - 1), PatternMatch::m_ZeroInt());
    if (!call.getType()->isVoidTy() && !isForNothing)
        return false;
    std::optional<AccessPath> hook = accessPathOf(*call.getCalledOperand(), call);
    return hook && hook->steps.size() > 1;
}

/* The argument, from 1, by which a hook is given what the function around it was given to free; 0: none. */
static unsigned freedByHook(const CallBase &call, Flow &flow) {
    ParameterSet block = mayFreeByPointer(call) ? blockParameter(*call.getFunction()) : 0;
    for (unsigned i = 1; block && i <= call.arg_size(); i++)
        if (call.getArgOperand(i - 1)->getType()->isPointerTy() && freedParameters(call, i, flow) == block)
            return i;
    return 0;
}

static unsigned freedArgument(const CallBase &call, const FoundWrappers &found, bool isSure, Flow &flow) {
    unsigned argument = freedArgument(call, found, isSure);
    return argument || !isSure ? argument : freedByHook(call, flow);
}

/* ---- The search. */

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

/* Whether a function reads or writes what it was given to free: then it takes some thing apart. What lies in
 * front of that is bookkeeping. */
static bool looksInto(Function &function, ParameterSet blocks) {
    return any_of(instructions(function), [&](Instruction &instruction) {
        Value *pointer = getLoadStorePointerOperand(&instruction);
        std::optional<AccessPath> path = pointer ? accessPathOf(*pointer, instruction) : std::nullopt;
        auto *block = path && path->steps.size() == 1 ? dyn_cast<Argument>(path->root) : nullptr;
        return block && path->steps.front() >= 0 && (parameterSet(block->getArgNo() + 1) & blocks);
    });
}

static bool isFree(Function &function, Flow &flow, const FoundWrappers &found, bool isSure,
                   FoundWrapper &result) {
    ParameterSet freed = 0;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        unsigned argument = call ? freedArgument(*call, found, isSure, flow) : 0;
        if (call && !isSure && freedArgument(*call, found, true, flow))
            return false;
        if (!argument)
            continue;
        ParameterSet parameters = freedParameters(*call, argument, flow);
        if (!parameters)
            return false;
        freed |= parameters;
        result.handedOn.insert(call);
    }
    result.wrapper.kind = ALLOCSITE_FREE;
    result.wrapper.isPossible = !isSure;
    result.wrapper.pointer = freed ? firstOf(freed) : 0;
    return freed && !looksInto(function, freed) && handOnToItself(function, flow, result);
}

/* Virtual destructors that delete are called by vtables, which nobody sees through. */
static bool isDeletingDestructor(const Function &function) {
    return function.getName().contains("D0Ev");
}

static void searchFrees(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                        bool isSure, FoundWrappers &found) {
    SmallVector<Function *, 16> next;
    for (Function &function : module) {
        auto known = found.find(&function);
        bool frees =
            isAllocator(function) || (known != found.end() && known->second.wrapper.kind == ALLOCSITE_FREE);
        if (frees)
            addCallers(function, next);
        if (isSure && any_of(instructions(function), [](const Instruction &instruction) {
                auto *call = dyn_cast<CallBase>(&instruction);
                return call && mayFreeByPointer(*call);
            }))
            next.push_back(&function);
    }
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        FoundWrapper result;
        if (!function->getReturnType()->isVoidTy() || !maySearch(*function) || ignored.count(function) ||
            found.count(function) || isDeletingDestructor(*function) ||
            !isFree(*function, flow, found, isSure, result))
            continue;
        found.insert({function, result});
        addCallers(*function, next);
    }
}

/* What surely frees is judged without what only may do so. */
void searchFrees(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                 FoundWrappers &found) {
    searchFrees(module, flow, ignored, true, found);
    searchFrees(module, flow, ignored, false, found);
}

void handOnFrees(Function &function, Flow &flow, const FoundWrappers &found, FoundWrapper &wrapper) {
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        unsigned argument = call ? freedArgument(*call, found, true) : 0;
        if (argument && freedParameters(*call, argument, flow))
            wrapper.handedOn.insert(call);
    }
}

} // namespace allocsite
