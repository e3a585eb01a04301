/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The structure of a function's caller that holds the block of a call: in the place of another one that it
 * replaces, or as the first one where the caller says how large it is. */
#include "wrap/bodies.h"

#include "find/find.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace allocsite {

/* What a local variable may have been set to. */
static void pushStored(const Value *pointer, SmallVectorImpl<Value *> &next) {
    auto *variable = dyn_cast<AllocaInst>(pointer->stripPointerCasts());
    if (!variable)
        return;
    for (const User *user : variable->users())
        if (auto *store = dyn_cast<StoreInst>(user); store && store->getPointerOperand() == variable)
            next.push_back(const_cast<Value *>(store->getValueOperand()));
}

/* Whether a pointer is, on some way, what is stored there. */
static bool isLoadedFrom(Value *pointer, const AccessPath &place, const Instruction &user) {
    SmallVector<Value *, 4> next = {pointer};
    SmallPtrSet<Value *, 8> seen;
    while (!next.empty()) {
        Value *value = next.pop_back_val()->stripPointerCasts();
        if (!seen.insert(value).second || !value->getType()->isPointerTy())
            continue;
        if (isa<PHINode>(value) || isa<SelectInst>(value)) {
            next.append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
            continue;
        }
        std::optional<AccessPath> path = accessPathOf(*value, user);
        if (path && path->root == place.root && path->steps.size() == place.steps.size() + 1 &&
            path->steps.back() == 0 &&
            ArrayRef<int64_t>(path->steps).drop_back() == ArrayRef<int64_t>(place.steps))
            return true;
        if (auto *load = dyn_cast<LoadInst>(value); load && !path)
            pushStored(load->getPointerOperand(), next);
    }
    return false;
}

static bool isGivenWhatIsAt(const CallBase &call, const AccessPath &place) {
    return any_of(call.args(), [&](const Use &argument) {
        return argument->getType()->isPointerTy() && isLoadedFrom(argument, place, call);
    });
}

static bool frees(const CallBase &call, const FoundWrappers &found) {
    if (const allocator *what = allocatorCalled(call))
        return what->kind == ALLOCSITE_FREE;
    auto known = found.find(surelyCalled(call));
    return known != found.end() && known->second.wrapper.kind == ALLOCSITE_FREE;
}

static bool freesWhatIsAt(const Function &function, const AccessPath &place, const FoundWrappers &found) {
    return any_of(instructions(function), [&](const Instruction &instruction) {
        auto *call = dyn_cast<CallBase>(&instruction);
        return call && frees(*call, found) && isGivenWhatIsAt(*call, place);
    });
}

/* The same place for the function that a call gives its parameter to; nothing: it gives that to none. */
static std::optional<AccessPath> placeWithin(const CallBase &call, const AccessPath &place) {
    Function *callee = surelyCalled(call);
    for (unsigned i = 0; callee && !callee->isDeclaration() && i < call.arg_size(); i++) {
        Value *argument = call.getArgOperand(i);
        std::optional<AccessPath> given =
            argument->getType()->isPointerTy() ? accessPathOf(*argument, call) : std::nullopt;
        if (given && isWhereTold(*given, *cast<Argument>(place.root)) && i < callee->arg_size())
            return AccessPath{callee->getArg(i), place.steps};
    }
    return std::nullopt;
}

/* Whether the new block gets what the old one has, as where a pool takes none back. */
static bool isCopied(CallBase &block, const AccessPath &place, Flow &flow) {
    return any_of(instructions(block.getFunction()), [&](Instruction &instruction) {
        auto *copy = dyn_cast<MemTransferInst>(&instruction);
        return copy && isLoadedFrom(copy->getRawSource(), place, *copy) &&
               flow.originsOf(copy->getRawDest()).calls.contains(&block);
    });
}

/* Whether the function frees what was in the place, as C++ reallocates: itself, or another one that it calls
 * for that; or moves what is in it. */
static bool isReplaced(CallBase &block, const AccessPath &place, const FoundWrappers &found, Flow &flow) {
    const Function &function = *block.getFunction();
    return freesWhatIsAt(function, place, found) || isCopied(block, place, flow) ||
           any_of(instructions(function), [&](const Instruction &instruction) {
               auto *call = dyn_cast<CallBase>(&instruction);
               std::optional<AccessPath> within = call ? placeWithin(*call, place) : std::nullopt;
               return within && freesWhatIsAt(*surelyCalled(*call), *within, found);
           });
}

static ParameterSet sizesOf(const CallBase &call, Flow &flow, bool isPointeeToo) {
    ParameterSet sizes = 0;
    for (const Use &argument : call.args())
        if (isSize(*argument->getType()))
            sizes |= flow.parametersBehind(argument, isPointeeToo);
    return sizes;
}

/* Whether a structure notes how large its block is: by the number that the caller gives, or one computed of
 * it. */
static bool isNotedIn(const Argument &holder, ParameterSet sizes, Flow &flow) {
    return any_of(instructions(holder.getParent()), [&](const Instruction &instruction) {
        auto *store = dyn_cast<StoreInst>(&instruction);
        if (!store || !isSize(*store->getValueOperand()->getType()))
            return false;
        auto place = accessPathOf(*const_cast<Value *>(store->getPointerOperand()), *store);
        return place && place->root == &holder && place->steps.size() == 1 &&
               (flow.parametersBehind(const_cast<Value *>(store->getValueOperand()), false) & sizes);
    });
}

/* Whether a structure gets its first block: a buffer, as long as something else says that the function is
 * given; another one, of the size that the caller gives and that the structure notes. */
static bool isBegun(const CallBase &call, const Argument &holder, Flow &flow) {
    ParameterSet others = ~parameterSet(holder.getArgNo() + 1);
    ParameterSet sizes = sizesOf(call, flow, false) & others;
    if (isBuffer(holder))
        return sizes || (sizesOf(call, flow, true) & others);
    return sizes && isNotedIn(holder, sizes, flow);
}

/* The container that an element is made for; nullptr: the call makes something else. */
static Argument *containerOf(CallBase &call) {
    Function &function = *call.getFunction();
    unsigned first = function.hasStructRetAttr();
    Argument *container = first < function.arg_size() ? function.getArg(first) : nullptr;
    return container && makesElement(call) && isContainer(*container) ? container : nullptr;
}

Argument *holderOf(CallBase &call, const FoundWrappers &found, Flow &flow) {
    for (const AccessPath &place : flow.placesOf(call)) {
        auto *holder = dyn_cast<Argument>(place.root);
        if (holder && place.steps.size() == 1 &&
            (isGivenWhatIsAt(call, place) || isBegun(call, *holder, flow) ||
             isReplaced(call, place, found, flow)))
            return holder;
    }
    return containerOf(call);
}

} // namespace allocsite
