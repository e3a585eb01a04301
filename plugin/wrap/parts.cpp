/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function that makes some thing for its caller makes a part of it as large as its caller says, if the
 * thing notes that number, or another function does so with the thing: `vector_new(n)`. The thing is the
 * function's own, always of one size; the part is the caller's. */
#include "wrap/bodies.h"

#include "find/find.h"

#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace allocsite {

static bool mayAllocate(const CallBase &call, const FoundWrappers &found) {
    if (const allocator *what = allocatorCalled(call))
        return what->kind == ALLOCSITE_ALLOC;
    Function *callee = surelyCalled(call);
    auto known = callee ? found.find(callee) : found.end();
    return callee ? known != found.end() && known->second.wrapper.kind == ALLOCSITE_ALLOC : mayBeHook(call);
}

/* The call whose block a pointer leads to on every way, if that is a thing which the function returns or
 * leaves; nullptr: none. */
static CallBase *thingAt(Value *pointer, const Origins &made, Flow &flow) {
    Origins origins = flow.originsOf(pointer);
    bool isOne = !origins.isUnknown && !origins.parameters && origins.calls.size() == 1;
    return isOne && made.calls.contains(origins.calls.front()) ? origins.calls.front() : nullptr;
}

/* What a function sets in the things that it makes. */
struct Member {
    CallBase *thing;
    Value *value;
};

static SmallVector<Member, 8> membersSet(Function &function, const Origins &made, Flow &flow) {
    SmallVector<Member, 8> members;
    for (Instruction &instruction : instructions(function))
        if (auto *store = dyn_cast<StoreInst>(&instruction))
            if (CallBase *thing = thingAt(store->getPointerOperand(), made, flow))
                members.push_back({thing, store->getValueOperand()});
    return members;
}

/* The parameters that are behind those of the call which say how large a block is. */
static ParameterSet sizesOf(const CallBase &call, ParameterSet telling, Flow &flow) {
    ParameterSet sizes = 0;
    for (unsigned i = 0; i < call.arg_size(); i++)
        if ((parameterSet(i + 1) & telling) && isSize(*call.getArgOperand(i)->getType()))
            sizes |= flow.parametersBehind(call.getArgOperand(i), false);
    return sizes;
}

static bool isNoted(ParameterSet sizes, const CallBase &thing, ArrayRef<Member> members, Flow &flow) {
    return any_of(members, [&](const Member &member) {
        return member.thing == &thing && isSize(*member.value->getType()) &&
               (flow.parametersBehind(member.value, false) & sizes);
    });
}

/* The calls that make a part of what the function makes, as large as its caller says. */
static void takeParts(Function &function, const Origins &made, Flow &flow, const FoundWrappers &found,
                      FoundWrapper &result) {
    SmallVector<Member, 8> members = membersSet(function, made, flow);
    for (const Member &member : members) {
        Origins origins = member.value->getType()->isPointerTy() ? flow.originsOf(member.value) : Origins();
        for (CallBase *part : origins.calls) {
            bool mayBe = part != member.thing && mayAllocate(*part, found);
            ParameterSet sizes = mayBe ? sizesOf(*part, ~ParameterSet(0), flow) : 0;
            if (!sizes || !isNoted(sizes, *member.thing, members, flow))
                continue;
            result.handedOn.insert(part);
            result.sizes |= sizes;
        }
    }
}

/* The calls that make the block grow which a thing holds, its first one too. */
static void takeGrown(Function &function, const Origins &made, Flow &flow, const FoundWrappers &found,
                      FoundWrapper &result) {
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        auto grower = call ? found.find(surelyCalled(*call)) : found.end();
        unsigned holder = grower == found.end() ? 0 : grower->second.holder;
        if (!holder || holder > call->arg_size() || !thingAt(call->getArgOperand(holder - 1), made, flow))
            continue;
        ParameterSet sizes = sizesOf(*call, ~ParameterSet(0), flow);
        if (sizes)
            result.handedOn.insert(call);
        result.sizes |= sizes;
    }
}

/* The calls of other such functions that make all of it. */
static void takeWholes(const Origins &made, Flow &flow, const FoundWrappers &makers, FoundWrapper &result) {
    for (CallBase *whole : made.calls) {
        auto maker = makers.find(surelyCalled(*whole));
        ParameterSet sizes = maker != makers.end() ? sizesOf(*whole, maker->second.sizes, flow) : 0;
        if (sizes)
            result.handedOn.insert(whole);
        result.sizes |= sizes;
    }
}

static bool isMaker(Function &function, Flow &flow, const FoundWrappers &found, const FoundWrappers &makers,
                    FoundWrapper &result) {
    const Origins &made =
        function.getReturnType()->isPointerTy() ? flow.returnedBy(function) : flow.leftBy(function);
    takeParts(function, made, flow, found, result);
    takeGrown(function, made, flow, found, result);
    takeWholes(made, flow, makers, result);
    result.wrapper.isHeld = true;
    result.wrapper.isPossible = all_of(result.handedOn, [&](const CallBase *call) {
        auto known = found.find(surelyCalled(*call));
        return known != found.end() && known->second.wrapper.isPossible;
    });
    return !result.handedOn.empty();
}

/* Two blocks at least, of which one holds the other. */
static bool mayMake(Function &function, const FoundWrappers &found) {
    return count_if(instructions(function), [&](Instruction &instruction) {
               auto *call = dyn_cast<CallBase>(&instruction);
               return call && mayAllocate(*call, found);
           }) > 1;
}

/* On demand who calls it is billed for what is always of one size. */
static bool isLiftedMaker(const FoundWrapper &known) {
    return known.wrapper.origin == ALLOCSITE_BY_ANALYSIS && known.wrapper.kind == ALLOCSITE_ALLOC &&
           !known.sizes && !known.wrapper.isInside;
}

static bool mayBeMaker(Function &function, const FoundWrappers &found) {
    auto known = found.find(&function);
    return maySearch(function) && (known == found.end() || isLiftedMaker(known->second));
}

/* All that it makes is its callers', where that is asked for. */
static void add(Function &function, const FoundWrapper &maker, FoundWrappers &found) {
    FoundWrapper &all = found[&function];
    all.handedOn.insert(maker.handedOn.begin(), maker.handedOn.end());
    all.sizes |= maker.sizes;
    all.wrapper.isHeld = true;
    all.wrapper.isPossible &= maker.wrapper.isPossible;
}

void searchParts(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                 FoundWrappers &found) {
    FoundWrappers makers;
    SmallVector<Function *, 16> next;
    for (Function &function : module)
        if (mayMake(function, found))
            next.push_back(&function);
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        FoundWrapper result;
        if (mayBeMaker(*function, found) && !ignored.count(function) && !makers.count(function) &&
            isMaker(*function, flow, found, makers, result)) {
            makers.insert({function, result});
            addCallers(*function, next);
        }
    }
    for (auto &entry : makers)
        if (!found.insert(entry).second)
            add(*entry.first, entry.second, found);
}

} // namespace allocsite
