/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where the blocks of a function go, and what is made of them. */
#include "find/find.h"
#include "wrap/flow.h"

#include <llvm/ADT/SmallPtrSet.h>

using namespace llvm;

namespace allocsite {

using Values = SmallVectorImpl<Value *>;

/* Whether a pointer that is stored there leads back to the block itself: it is found only by who has that. */
bool Flow::staysIn(Value *place, const Fresh &fresh) {
    Origins origins = originsOf(place);
    bool isOther = origins.isUnknown || (origins.parameters & ~fresh.parameter);
    for (const CallBase *call : origins.calls)
        isOther |= call != fresh.call;
    return !isOther;
}

/* Whose address others are told, they load from as well. */
static void pushLoads(AllocaInst &variable, Stored &stored, Values &next) {
    eachUse(variable, [&](Instruction &user, Value *pointer) {
        auto *store = dyn_cast<StoreInst>(&user);
        if (isa<LoadInst>(user))
            next.push_back(&user);
        else if (!isHarmless(user) && !(store && store->getPointerOperand() == pointer))
            stored.isGiven = true;
    });
}

/* What the block holds is of use only for what it says of lists. */
void Flow::addStore(StoreInst &store, Value *value, const Fresh &fresh, Stored &stored, Values &next) {
    Value *target = store.getPointerOperand(), *what = store.getValueOperand();
    if (what != value) {
        stored.hasNumbers |= !what->getType()->isPointerTy();
        stored.hasPointers |= what->getType()->isPointerTy();
        std::optional<AccessPath> held =
            what->getType()->isPointerTy() ? accessPathOf(*what, store) : std::nullopt;
        if (held)
            stored.held.push_back(*held);
    } else if (AllocaInst *variable = variableAt(target)) {
        pushLoads(*variable, stored, next);
    } else if (!staysIn(target, fresh)) {
        std::optional<AccessPath> place = accessPathOf(*target, store);
        stored.isElsewhere |= !place;
        if (place)
            stored.places.push_back(*place);
    }
}

/* A function of the C library that keeps nothing, or one that is only asked for a number: a block's size. */
static bool isKeepingNothing(const CallBase &call) {
    const Function *callee = surelyCalled(call);
    bool isKnown = callee && (callee->isIntrinsic() || returnsFirst(*callee) || measuresText(*callee) ||
                              isAllocator(*callee));
    return isKnown || (call.arg_size() == 1 && call.getType()->isIntegerTy());
}

static bool isFormat(const Value &value) {
    auto *variable = dyn_cast<GlobalVariable>(value.stripPointerCasts());
    auto *text = variable && variable->hasInitializer()
                     ? dyn_cast<ConstantDataSequential>(variable->getInitializer())
                     : nullptr;
    return text && text->isString() && text->getAsString().contains('%');
}

/* Whether a value is only among what is printed, as by a trace: behind a format, which stands last ahead of
 * such arguments. */
static bool isPrinted(const CallBase &call, const Value *value) {
    const FunctionType *type = call.getFunctionType();
    unsigned fixed = type->getNumParams();
    auto isValue = [&](const Use &argument) { return argument == value; };
    return type->isVarArg() && fixed && isFormat(*call.getArgOperand(fixed - 1)) &&
           none_of(make_range(call.arg_begin(), call.arg_begin() + fixed), isValue);
}

/* The use of a block in a function of another unit is left open: those who fill it, log it or look at it all
 * take it. */
void Flow::addCall(CallBase &call, Value *value, Stored &stored) {
    Function *callee = surelyCalled(call);
    if (isMakingResult(call))
        return;
    bool isSeen = callee && !callee->isDeclaration() && !callee->isVarArg();
    stored.isGiven |= !isSeen && !isKeepingNothing(call) && !isPrinted(call, value);
    for (unsigned i = 0; isSeen && i < call.arg_size(); i++)
        if (call.getArgOperand(i) == value)
            stored.add(keeps(*callee, i), call);
}

/* Other values that are the block go to `next`. */
void Flow::addUse(User &user, Value *value, const Fresh &fresh, Stored &stored, Values &next) {
    if (auto *store = dyn_cast<StoreInst>(&user))
        return addStore(*store, value, fresh, stored, next);
    if (auto *call = dyn_cast<CallBase>(&user)) {
        if (returnedArgument(*call) == value)
            next.push_back(call);
        return addCall(*call, value, stored);
    }
    if (isa<PHINode>(user) || isa<SelectInst>(user) || isa<BitCastInst>(user) || isa<GetElementPtrInst>(user))
        next.push_back(&user);
    stored.isElsewhere |= isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user);
}

void Flow::addStores(Value *from, const Fresh &fresh, Stored &stored) {
    SmallPtrSet<Value *, 16> seen;
    SmallVector<Value *, 16> next = {from};
    while (!next.empty() && !stored.isElsewhere) {
        Value *value = next.pop_back_val();
        if (!seen.insert(value).second)
            continue;
        for (User *user : value->users())
            addUse(*user, value, fresh, stored, next);
    }
}

const Stored &Flow::keeps(Function &function, unsigned parameter) {
    auto [position, isNew] = kept.insert({{&function, parameter}, {}});
    if (isNew && parameter < function.arg_size()) {
        Argument *argument = function.getArg(parameter);
        Stored stored;
        addStores(argument, {nullptr, parameterSet(argument->getArgNo() + 1)}, stored);
        position->second = std::move(stored);
    }
    return position->second;
}

Stored Flow::storesOf(CallBase &block) {
    SmallVector<Value *, 4> values = {&block};
    Stored stored;
    if (AllocaInst *variable = outVariable(block)) {
        values.clear();
        pushLoads(*variable, stored, values);
    }
    for (Value *value : values)
        addStores(value, {&block, 0}, stored);
    return stored;
}

bool Flow::isPublished(CallBase &block) {
    Stored stored = storesOf(block);
    unsigned out = outParameter(*block.getFunction());
    erase_if(stored.places, [&](const AccessPath &place) {
        return out && isWhereTold(place, *block.getFunction()->getArg(out - 1));
    });
    return !isOnlyInLists(stored);
}

SmallVector<AccessPath, 2> Flow::placesOf(CallBase &block) {
    return storesOf(block).places;
}

bool Flow::isUntouched(CallBase &block) {
    Stored stored = storesOf(block);
    return !stored.hasNumbers && !stored.hasPointers && stored.places.empty();
}

bool Flow::isCallersAlone(CallBase &block) {
    Stored stored = storesOf(block);
    return stored.places.empty() && !stored.isElsewhere && !stored.isGiven;
}

bool Flow::isFilled(CallBase &block) {
    return storesOf(block).hasNumbers;
}

} // namespace allocsite
