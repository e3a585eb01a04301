/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wrap/flow.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace allocsite {

/* The only value that a local variable ever has; nullptr: not known. */
static Value *onlyValue(const AllocaInst &variable) {
    Value *value = nullptr;
    for (const User *user : variable.users()) {
        auto *store = dyn_cast<StoreInst>(user);
        if (store && store->getPointerOperand() == &variable && !value)
            value = const_cast<Value *>(store->getValueOperand());
        else if (auto *call = dyn_cast<IntrinsicInst>(user);
                 !isa<LoadInst>(user) && !isa<BitCastInst>(user) && !(call && call->isAssumeLikeIntrinsic()))
            return nullptr;
    }
    return value;
}

/* From LLVM 16 on an intrinsic takes the address of a thread-local. */
static Value *globalOf(Value &pointer) {
#if LLVM_VERSION_MAJOR >= 16
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&pointer);
        intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address)
        return intrinsic->getArgOperand(0);
#endif
    return isa<GlobalVariable>(pointer) || isa<Argument>(pointer) ? &pointer : nullptr;
}

static std::optional<AccessPath> accessPathOf(Value &pointer, const DataLayout &layout, unsigned depth,
                                              bool inBlocks) {
    static constexpr unsigned Deep = 16; // variables that only depend on themselves end there
    APInt step(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
    Value *base = pointer.stripAndAccumulateConstantOffsets(layout, step, true);
    if (Value *root = inBlocks && isa<CallBase>(base) ? base : globalOf(*base))
        return AccessPath{root, {step.getSExtValue()}};
    auto *load = dyn_cast<LoadInst>(base);
    if (!load || depth == Deep)
        return std::nullopt;
    std::optional<AccessPath> place;
    auto *variable = dyn_cast<AllocaInst>(load->getPointerOperand()->stripPointerCasts());
    Value *value = variable ? onlyValue(*variable) : load->getPointerOperand();
    if (value)
        place = accessPathOf(*value, layout, depth + 1, inBlocks);
    if (place && variable)
        place->steps.back() += step.getSExtValue();
    else if (place)
        place->steps.push_back(step.getSExtValue());
    return place;
}

std::optional<AccessPath> accessPathOf(Value &pointer, const Instruction &user) {
    return accessPathOf(pointer, user.getModule()->getDataLayout(), 0, false);
}

std::optional<AccessPath> accessPathOrBlockOf(Value &pointer, const Instruction &user) {
    return accessPathOf(pointer, user.getModule()->getDataLayout(), 0, true);
}

std::optional<AccessPath> accessPathFor(const CallBase &call, const AccessPath &place) {
    auto *parameter = dyn_cast<Argument>(place.root);
    if (!parameter)
        return place;
    if (parameter->getArgNo() >= call.arg_size())
        return std::nullopt;
    std::optional<AccessPath> result = accessPathOf(*call.getArgOperand(parameter->getArgNo()), call);
    if (!result)
        return std::nullopt;
    result->steps.back() += place.steps.front();
    result->steps.append(place.steps.begin() + 1, place.steps.end());
    return result;
}

void Stored::add(const Stored &inner, const CallBase &call) {
    isElsewhere |= inner.isElsewhere;
    isGiven |= inner.isGiven;
    hasNumbers |= inner.hasNumbers;
    hasPointers |= inner.hasPointers;
    for (const AccessPath &place : inner.places) {
        std::optional<AccessPath> mine = accessPathFor(call, place);
        isElsewhere |= !mine;
        if (mine)
            places.push_back(*mine);
    }
    for (const AccessPath &pointer : inner.held)
        if (std::optional<AccessPath> mine = accessPathFor(call, pointer))
            held.push_back(*mine);
}

bool isWhereTold(const AccessPath &place, const Argument &parameter) {
    return place.root == &parameter && place.steps.size() == 1 && place.steps.front() == 0;
}

/* Whether a pointer is one that was loaded there. */
static bool isLoadedFrom(const AccessPath &pointer, ArrayRef<int64_t> steps, const Value *root) {
    return pointer.root == root && ArrayRef<int64_t>(pointer.steps).drop_back() == steps;
}

static bool isHead(const Stored &stored, ArrayRef<int64_t> steps, const Value *root) {
    return any_of(stored.held, [&](const AccessPath &held) { return isLoadedFrom(held, steps, root); });
}

/* The neighbour of the head holds the block as well, and is what the head was. */
static bool isInList(const Stored &stored, const AccessPath &place) {
    ArrayRef<int64_t> steps = place.steps, head = steps.drop_back();
    bool hasHead = any_of(
        stored.places, [&](const AccessPath &other) { return isLoadedFrom(place, other.steps, other.root); });
    return isHead(stored, steps, place.root) || (hasHead && isHead(stored, head, place.root));
}

bool isOnlyInLists(const Stored &stored) {
    return !stored.isElsewhere &&
           all_of(stored.places, [&](const AccessPath &place) { return isInList(stored, place); });
}

} // namespace allocsite
