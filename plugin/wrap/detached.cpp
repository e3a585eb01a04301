/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function that writes what its caller gives it to a buffer of its own, and returns the buffer's block,
 * makes that for its caller: `strbuf_vaddf(&text, format, values); return strbuf_detach(&text);`. One that
 * writes by several calls has lines of its own that say more. */
#include "wrap/bodies.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace allocsite {

static ParameterSet givenTo(const CallBase &call, Flow &flow) {
    ParameterSet given = 0;
    for (Value *argument : call.args())
        given |= flow.parametersBehind(argument, true);
    return given;
}

/* The local variable whose block a call makes grow; nullptr: none. */
static AllocaInst *grownLocal(const CallBase &call, const FoundWrappers &found) {
    auto known = found.find(surelyCalled(call));
    unsigned holder = known == found.end() ? 0 : known->second.holder;
    bool isOne = holder && holder <= call.arg_size();
    return isOne ? dyn_cast<AllocaInst>(call.getArgOperand(holder - 1)->stripPointerCasts()) : nullptr;
}

/* Whether a pointer is, on every way, what is found in a variable, or what a function returns that is told
 * where that is; or null. */
static bool isOutOf(Value *pointer, const AllocaInst &local) {
    SmallPtrSet<Value *, 8> seen;
    SmallVector<Value *, 8> next = {pointer};
    bool isOut = false;
    while (!next.empty()) {
        Value *value = next.pop_back_val()->stripPointerCasts();
        auto *load = dyn_cast<LoadInst>(value);
        AllocaInst *variable = load ? variableAt(load->getPointerOperand()) : nullptr;
        auto *call = dyn_cast<CallBase>(value);
        if (!seen.insert(value).second || isa<ConstantPointerNull>(value))
            continue;
        if (variable == &local ||
            (call && any_of(call->args(), [&](Value *argument) { return variableAt(argument) == &local; })))
            isOut = true;
        else if (isa<PHINode>(value) || isa<SelectInst>(value))
            next.append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
        else if (variable && variable->getAllocatedType()->isPointerTy())
            eachUse(*variable, [&](Instruction &user, Value *place) {
                auto *store = dyn_cast<StoreInst>(&user);
                if (store && store->getPointerOperand() == place)
                    next.push_back(store->getValueOperand());
            });
        else
            return false;
    }
    return isOut;
}

static bool returnsBlockOf(const Function &function, const AllocaInst &local) {
    return all_of(function, [&](const BasicBlock &block) {
        auto *back = dyn_cast<ReturnInst>(block.getTerminator());
        return !back || isOutOf(back->getReturnValue(), local);
    });
}

static bool isDetaching(Function &function, const FoundWrappers &found, Flow &flow, FoundWrapper &result) {
    AllocaInst *local = nullptr;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        AllocaInst *grown = call ? grownLocal(*call, found) : nullptr;
        ParameterSet given = grown ? givenTo(*call, flow) : 0;
        if (given && local)
            return false;
        if (!given)
            continue;
        local = grown;
        result.sizes = given;
        result.handedOn.insert(call);
        result.wrapper.isPossible = found.find(surelyCalled(*call))->second.wrapper.isPossible;
    }
    return local && returnsBlockOf(function, *local);
}

/* Whether all that a function returns comes from such functions, which write what its own caller gave. */
static bool isHandingOn(Function &function, const FoundWrappers &detaching, Flow &flow,
                        FoundWrapper &result) {
    const Origins &origins = flow.returnedBy(function);
    for (CallBase *call : origins.calls) {
        auto known = detaching.find(surelyCalled(*call));
        ParameterSet given = known == detaching.end() ? 0 : givenTo(*call, flow);
        if (!given)
            return false;
        result.sizes |= given;
        result.handedOn.insert(call);
        result.wrapper.isPossible = known->second.wrapper.isPossible;
    }
    return !origins.isUnknown && !origins.calls.empty();
}

void searchDetached(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                    FoundWrappers &found) {
    FoundWrappers detaching;
    SmallVector<Function *, 16> next;
    for (Function &function : module)
        next.push_back(&function);
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        FoundWrapper result;
        if (!function->getReturnType()->isPointerTy() || !maySearch(*function) || ignored.count(function) ||
            found.count(function) || detaching.count(function) ||
            (!isDetaching(*function, found, flow, result) &&
             (detaching.empty() || !isHandingOn(*function, detaching, flow, result))))
            continue;
        detaching.insert({function, result});
        addCallers(*function, next);
    }
    for (auto &entry : detaching)
        found.insert(entry);
}

} // namespace allocsite
