/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function that grows a block which its parameter's structure holds makes room for its callers, who say how
 * much by a number; so does one that makes the first block there, of a size that it notes beside it. Where
 * the structure is no more than its block and numbers, a buffer, its functions that look into it are what the
 * C++ standard library's are: the line that appends is the program's, however much it appends. The same goes
 * for an array whose block and length are given by where they are. Of most other structures no declaration
 * tells (types/possible.cpp): who comes to such a function from another file has the line in it. */
#include "wrap/bodies.h"

#include "find/find.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace allocsite {

/* What a grower is known by: a function and the parameter whose block it makes grow. */
struct Grower {
    FoundWrapper found;
    unsigned holder = 0; // from 0
};

using Growers = MapVector<Function *, Grower>;

/* Whether the call's pointer can lead to a buffer's function. Who makes larger things grow by a pointer, a
 * command, has the line in it. */
static bool mayLeadTo(const CallBase &call, const Function &function, const Grower &grower) {
    return call.isIndirectCall() && !call.isMustTailCall() && !grower.found.wrapper.keepsLine &&
           function.hasAddressTaken() && function.getFunctionType() == call.getFunctionType();
}

static const Grower *growerBehind(const CallBase &call, const Growers &growers) {
    Function *callee = surelyCalled(call);
    auto known = callee ? growers.find(callee) : find_if(growers, [&](const auto &entry) {
        return mayLeadTo(call, *entry.first, entry.second);
    });
    return known == growers.end() ? nullptr : &known->second;
}

/* Which of the functions that are given a pointer reallocate it, their declarations do not say. */
static bool mayGrow(const CallBase &call, const FoundWrappers &found) {
    if (const allocator *what = allocatorCalled(call))
        return what->kind != ALLOCSITE_FREE;
    Function *callee = surelyCalled(call);
    auto known = callee ? found.find(callee) : found.end();
    return callee ? known != found.end() && known->second.wrapper.kind != ALLOCSITE_FREE : mayBeHook(call);
}

/* Whether more than the linker knows that it allocates. */
static bool isSure(const CallBase &call, const FoundWrappers &found, const Growers &growers) {
    auto known = found.find(surelyCalled(call));
    if (known != found.end())
        return !known->second.wrapper.isPossible;
    const Grower *grower = growerBehind(call, growers);
    return !grower || !grower->found.wrapper.isPossible;
}

/* The parameter that a pointer is on every way, also where a function that returned it stands between, as in
 * `text = append(text, more)`; nullptr: none. */
static Argument *onlyParameter(Value *pointer, const Function &function, Flow &flow) {
    Origins origins = flow.originsOf(pointer);
    bool isOne =
        !origins.isUnknown && !origins.isOffset && origins.calls.empty() && isPowerOf2_64(origins.parameters);
    return isOne ? const_cast<Argument *>(function.getArg(Log2_64(origins.parameters))) : nullptr;
}

/* The parameter whose structure a pointer leads to, or a part of it; nullptr: none. */
static Argument *parameterWith(Value *pointer, const Instruction &user, Flow &flow) {
    if (!pointer->getType()->isPointerTy())
        return nullptr;
    std::optional<AccessPath> path = accessPathOf(*pointer, user);
    bool isIn = path && path->steps.size() == 1 && path->steps.front() >= 0;
    return isIn ? dyn_cast<Argument>(path->root) : onlyParameter(pointer, *user.getFunction(), flow);
}

/* The number from 1 of the argument whose block the call makes grow; 0: none. */
static unsigned holderIn(const CallBase &call, const FoundWrappers &found, const Growers &growers) {
    if (const Grower *grower = growerBehind(call, growers))
        return grower->holder + 1;
    auto known = found.find(surelyCalled(call));
    return known == found.end() ? 0 : known->second.holder;
}

/* The parameter that a call makes grow what it holds; nullptr: none. */
static Argument *grownBy(CallBase &call, const FoundWrappers &found, const Growers &growers, Flow &flow) {
    Argument *own = mayGrow(call, found) ? holderOf(call, found, flow) : nullptr;
    unsigned holder = holderIn(call, found, growers);
    return own || !holder || holder > call.arg_size()
               ? own
               : parameterWith(call.getArgOperand(holder - 1), call, flow);
}

/* What a container keeps says nothing of how much. */
static bool isGivenElement(const CallBase &call, const Use &given) {
    const Function *callee = surelyCalled(call);
    unsigned number = call.getArgOperandNo(&given);
    return callee && number < callee->arg_size() && isElement(*callee->getArg(number));
}

/* By a number or a text that the caller gives. */
static bool isToldHowMuch(const CallBase &call, Flow &flow) {
    return any_of(call.args(), [&](const Use &argument) {
        return isSize(*argument->getType()) && !isGivenElement(call, argument) &&
               (flow.parametersBehind(argument, false) || flow.limitsOf(argument, false));
    });
}

/* What a parameter is declared to point at; nullptr: not known. */
static const DIType *thingAt(const Argument &parameter) {
    const DISubprogram *subprogram = parameter.getParent()->getSubprogram();
    auto types = subprogram->getType() ? subprogram->getType()->getTypeArray() : nullptr;
    unsigned position = parameter.getArgNo() + 1;
    auto *type =
        types && position < types.size() ? dyn_cast_or_null<DIDerivedType>(types[position]) : nullptr;
    const DIType *thing =
        type && type->getTag() == dwarf::DW_TAG_pointer_type ? type->getBaseType() : nullptr;
    auto *derived = dyn_cast_or_null<DIDerivedType>(thing);
    return derived && derived->getTag() == dwarf::DW_TAG_const_type ? derived->getBaseType() : thing;
}

/* Whether it copies there what the same part of another such thing holds that the caller gives. */
static bool isCopyingPart(const CallBase &call, const Argument &holder) {
    SmallVector<AccessPath, 2> given;
    for (Value *argument : call.args())
        if (argument->getType()->isPointerTy())
            if (std::optional<AccessPath> path = accessPathOf(*argument, call);
                path && path->steps.size() == 1)
                given.push_back(*path);
    return given.size() == 2 && given[0].root == &holder && given[0].steps == given[1].steps &&
           isa<Argument>(given[1].root) && given[1].root != &holder && thingAt(holder) &&
           thingAt(holder) == thingAt(*cast<Argument>(given[1].root));
}

/* Whether an array is given by the place of its block, and how long it is by the place of a number or of its
 * end, which the function sets. */
static bool isCountedApart(const CallBase &call, const Argument &array, Flow &flow) {
    ParameterSet sizes = 0;
    for (const Use &argument : call.args())
        if (isPlaceOfBlock(array) && isSize(*argument->getType()))
            sizes |= flow.parametersBehind(argument, true) & ~parameterSet(array.getArgNo() + 1);
    return sizes && any_of(instructions(call.getFunction()), [&](const Instruction &instruction) {
               auto *store = dyn_cast<StoreInst>(&instruction);
               auto place = store ? accessPathOf(*const_cast<Value *>(store->getPointerOperand()), *store)
                                  : std::nullopt;
               auto *length = place ? dyn_cast<Argument>(place->root) : nullptr;
               return length && isWhereTold(*place, *length) &&
                      (parameterSet(length->getArgNo() + 1) & sizes);
           });
}

/* Whether a function itself reads or writes what a parameter points at. */
static bool looksInto(Function &function, const Argument &holder) {
    return any_of(instructions(function), [&](Instruction &instruction) {
        Value *pointer = getLoadStorePointerOperand(&instruction);
        std::optional<AccessPath> path = pointer ? accessPathOf(*pointer, instruction) : std::nullopt;
        return path && path->root == &holder;
    });
}

static unsigned callsWith(Function &function, const Argument &holder, Flow &flow) {
    return count_if(instructions(function), [&](Instruction &instruction) {
        auto *call = dyn_cast<CallBase>(&instruction);
        return call && !isa<IntrinsicInst>(call) && any_of(call->args(), [&](const Use &use) {
                   return parameterWith(use, *call, flow) == &holder;
               });
    });
}

/* Of a buffer's functions that do not look into it those that only call another one are its own, too. */
static bool isOwnOf(Function &function, const Argument &holder, Flow &flow) {
    return isContainer(holder) ||
           (isBuffer(holder) && (looksInto(function, holder) || callsWith(function, holder, flow) == 1));
}

/* A function that only a buffer's others call, with it. */
static bool isHelperOf(Function &function, const Argument &holder, Flow &flow) {
    unsigned number = holder.getArgNo();
    return !function.use_empty() && all_of(function.uses(), [&](const Use &use) {
        auto *call = dyn_cast<CallBase>(use.getUser());
        bool isCalled = call && call->isCallee(&use) && number < call->arg_size();
        Argument *own = isCalled ? parameterWith(call->getArgOperand(number), *call, flow) : nullptr;
        return own && isBuffer(*own);
    });
}

/* Of what else than its parameters a function returns, its type may tell what the block is made of. */
static bool returnsBlock(const Function &function, Flow &flow) {
    if (!function.getReturnType()->isPointerTy())
        return false;
    const Origins &origins = flow.returnedBy(function);
    return origins.isUnknown || origins.isOffset || !origins.calls.empty() || !origins.parameters;
}

/* The calls that make grow what each parameter holds. */
using Grown = MapVector<Argument *, SmallVector<CallBase *, 4>>;

static Grown grownIn(Function &function, const FoundWrappers &found, const Growers &growers, Flow &flow) {
    Grown grown;
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction))
            if (Argument *holder = grownBy(*call, found, growers, flow))
                grown[holder].push_back(call);
    return grown;
}

/* Of several the only one that is a buffer, for what another thing has beside that is for the function's own
 * use; nullptr: that is none, or not the only one. */
static Argument *holderAmong(const Grown &grown) {
    if (grown.size() == 1)
        return grown.front().first;
    Argument *only = nullptr;
    for (auto &entry : grown) {
        if (!isBuffer(*entry.first))
            continue;
        if (only)
            return nullptr;
        only = entry.first;
    }
    return only;
}

/* Whether a function goes on with a larger thing in any case once the block is there, by one of its other
 * functions: its block is then a step of what the function does. */
static bool goesOn(Function &function, const Argument &holder, const CallBase &grown, const Growers &growers,
                   Flow &flow) {
    SmallVector<const CallBase *, 4> behind;
    bool isBehind = false;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        const Function *callee = isBehind && call ? surelyCalled(*call) : nullptr;
        isBehind |= call == &grown;
        if (callee && !callee->isDeclaration() && !growerBehind(*call, growers) &&
            any_of(call->args(), [&](const Use &argument) {
                return argument->getType()->isPointerTy() &&
                       onlyParameter(argument, function, flow) == &holder;
            }))
            behind.push_back(call);
    }
    if (behind.empty())
        return false;
    PostDominatorTree ends(function);
    return any_of(behind,
                  [&](const CallBase *call) { return ends.dominates(call->getParent(), grown.getParent()); });
}

/* Calls that are not handed on keep their line. */
static bool isGrower(Function &function, const FoundWrappers &found, const Growers &growers, Flow &flow,
                     Grower &grower) {
    Grown grown = grownIn(function, found, growers, flow);
    Argument *holder = holderAmong(grown);
    if (!holder)
        return false;
    SmallVector<CallBase *, 4> told, others;
    bool isCounted =
        any_of(grown[holder], [&](const CallBase *call) { return isCountedApart(*call, *holder, flow); });
    for (CallBase *call : grown[holder])
        (isCounted || isToldHowMuch(*call, flow) || isCopyingPart(*call, *holder) ? told : others)
            .push_back(call);
    if (!isCounted && !isBuffer(*holder))
        erase_if(told, [&](CallBase *call) { return goesOn(function, *holder, *call, growers, flow); });
    if (!others.empty() && (isOwnOf(function, *holder, flow) || isHelperOf(function, *holder, flow)))
        told.append(others);
    grower.holder = holder->getArgNo();
    grower.found.holder = grower.holder + 1;
    grower.found.handedOn.insert(told.begin(), told.end());
    grower.found.sizes = parameterSet(grower.holder + 1);
    grower.found.wrapper.isHeld = !returnsBlock(function, flow);
    grower.found.wrapper.keepsLine =
        !(isCounted || isBuffer(*holder)) || (function.arg_size() == 1 && grower.found.wrapper.isHeld);
    grower.found.wrapper.isPossible =
        none_of(told, [&](const CallBase *call) { return isSure(*call, found, growers); });
    return !told.empty();
}

static SmallVector<CallBase *, 16> callsByPointer(Module &module) {
    SmallVector<CallBase *, 16> calls;
    for (Function &function : module)
        for (Instruction &instruction : instructions(function))
            if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isIndirectCall())
                calls.push_back(call);
    return calls;
}

/* One that is known already is looked at again, for more of its calls may turn out to be handed on, or to
 * speak against it: then for good, so that the search ends. */
void searchGrowers(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                   FoundWrappers &found) {
    Growers growers;
    SmallVector<Function *, 16> next;
    SmallPtrSet<const Function *, 8> refused;
    const auto byPointer = callsByPointer(module);
    for (Function &function : module)
        if (any_of(instructions(function), [&](Instruction &instruction) {
                auto *call = dyn_cast<CallBase>(&instruction);
                return call && mayGrow(*call, found);
            }))
            next.push_back(&function);
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        Grower grower;
        if (!maySearch(*function) || ignored.count(function) || found.count(function) ||
            refused.count(function))
            continue;
        if (!isGrower(*function, found, growers, flow, grower)) {
            if (growers.erase(function))
                refused.insert(function);
            continue;
        }
        bool isNew = !growers.count(function);
        growers[function] = grower;
        if (!isNew)
            continue;
        addCallers(*function, next);
        for (CallBase *call : byPointer)
            if (mayLeadTo(*call, *function, grower))
                next.push_back(call->getFunction());
    }
    for (CallBase *call : byPointer)
        if (growerBehind(*call, growers) && !allocatesByPointer(*call))
            setAllocatesByPointer(*call, false);
    for (auto &entry : growers)
        found.insert({entry.first, entry.second.found});
}

} // namespace allocsite
