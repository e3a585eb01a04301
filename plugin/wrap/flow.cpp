/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wrap/flow.h"

#include "find/find.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace allocsite {

/* ---- Local variables. */

AllocaInst *variableAt(Value *pointer) {
    for (;;) {
        pointer = pointer->stripPointerCasts();
        auto *gep = dyn_cast<GEPOperator>(pointer);
        if (!gep)
            return dyn_cast<AllocaInst>(pointer);
        pointer = gep->getPointerOperand();
    }
}

bool isHarmless(const Instruction &user) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(&user);
    return isa<LoadInst>(user) || isa<ICmpInst>(user) ||
           (intrinsic && (intrinsic->isAssumeLikeIntrinsic() || isa<MemSetInst>(intrinsic)));
}

/* ---- The origins of values. */

using Values = SmallVectorImpl<Value *>;

static ParameterSet bitOf(const Argument &argument) {
    return argument.getArgNo() < 64 ? ParameterSet(1) << argument.getArgNo() : 0;
}

/* The local variable that a call leaves its block in; nullptr: it is no such call, or leaves it elsewhere. */
AllocaInst *Flow::outVariable(const CallBase &call) {
    unsigned out = outArgument(call);
    return out && out <= call.arg_size() ? variableAt(call.getArgOperand(out - 1)) : nullptr;
}

void Origins::add(const Origins &others) {
    calls.insert(others.calls.begin(), others.calls.end());
    parameters |= others.parameters;
    isOffset |= others.isOffset;
    isUnknown |= others.isUnknown;
}

/* The variable that a copy of memory into this one comes from; nullptr: elsewhere. */
static AllocaInst *copiedFrom(Instruction &user, Value *pointer) {
    auto *copy = dyn_cast<MemTransferInst>(&user);
    return copy && copy->getRawDest() == pointer ? variableAt(copy->getRawSource()) : nullptr;
}

static bool isCopyOf(Instruction &user, Value *pointer) {
    auto *copy = dyn_cast<MemTransferInst>(&user);
    return copy && copy->getRawDest() != pointer;
}

static void pushParameters(const CallBase &call, ParameterSet parameters, Values &next) {
    for (unsigned i = 0; i < call.arg_size() && i < 64; i++)
        if (parameters >> i & 1)
            next.push_back(call.getArgOperand(i));
}

/* All that a variable can hold of the kind that is loaded from it, also where structures are copied. */
void Flow::followVariable(AllocaInst &variable, bool isNumber, Values &next, Origins &origins) {
    SmallSetVector<AllocaInst *, 4> variables;
    variables.insert(&variable);
    for (unsigned i = 0; i < variables.size(); i++)
        eachUse(*variables[i], [&](Instruction &user, Value *pointer) {
            auto *call = dyn_cast<CallBase>(&user);
            if (isHarmless(user) || isCopyOf(user, pointer))
                return;
            if (auto *store = dyn_cast<StoreInst>(&user); store && store->getPointerOperand() == pointer) {
                if (store->getValueOperand()->getType()->isIntegerTy() == isNumber)
                    next.push_back(store->getValueOperand());
            } else if (AllocaInst *from = copiedFrom(user, pointer)) {
                variables.insert(from);
            } else if (call && outVariable(*call) == variables[i]) {
                origins.calls.insert(call);
            } else if (!isNumber && !(call && followSetting(*call, *variables[i], next, origins))) {
                origins.isUnknown = true;
            }
        });
}

/* Of a function that is told where a variable is: what it sets that to, if that is what it is given. False:
 * it is something else. */
bool Flow::followSetting(const CallBase &call, const AllocaInst &variable, Values &next, Origins &origins) {
    const Function *callee = surelyCalled(call);
    for (unsigned i = 0; i < call.arg_size(); i++) {
        if (variableAt(call.getArgOperand(i)) != &variable)
            continue;
        if (!callee || callee->isDeclaration() || i >= callee->arg_size())
            return false;
        const Origins &set = storedAt(*callee->getArg(i));
        if (set.isUnknown || !set.calls.empty())
            return false;
        origins.isOffset |= set.isOffset;
        pushParameters(call, set.parameters, next);
    }
    return true;
}

void Flow::followCall(CallBase &call, Values &next, Origins &origins) {
    if (Value *same = returnedArgument(call)) {
        next.push_back(same);
        return;
    }
    const Function *callee = surelyCalled(call);
    if (callee ? callee->isIntrinsic() : call.isInlineAsm()) {
        origins.isUnknown = true;
        return;
    }
    bool isOpaque = !callee || callee->isDeclaration() || allocatorCalled(call);
    const Origins *inner = isOpaque ? nullptr : &returnedBy(*callee);
    if (!inner || inner->isUnknown || !inner->parameters || !inner->calls.empty())
        origins.calls.insert(&call);
    if (inner && !inner->isUnknown)
        pushParameters(call, inner->parameters, next);
}

/* A pointer's number is rounded by a function of numbers. */
static void followNumber(const CallBase &call, SmallVectorImpl<Value *> &next, Origins &origins) {
    const Function *callee = surelyCalled(call);
    if (!callee || callee->isDeclaration() || allocatorCalled(call))
        return;
    origins.isOffset = true;
    for (Value *argument : call.args())
        if (argument->getType()->isIntegerTy())
            next.push_back(argument);
}

/* One step back. Of a number only the pointers that it is made of count: an aligned one is computed. */
void Flow::follow(Value *value, Values &next, Origins &origins) {
    bool isNumber = value->getType()->isIntegerTy();
    if (auto *argument = dyn_cast<Argument>(value); argument && !isNumber) {
        origins.parameters |= bitOf(*argument);
        origins.isUnknown |= bitOf(*argument) == 0;
    } else if (auto *call = dyn_cast<CallBase>(value)) {
        if (isNumber)
            followNumber(*call, next, origins);
        else
            followCall(*call, next, origins);
    } else if (auto *load = dyn_cast<LoadInst>(value)) {
        if (AllocaInst *variable = variableAt(load->getPointerOperand()))
            followVariable(*variable, isNumber, next, origins);
        else
            origins.isUnknown |= !isNumber;
    } else if (auto *gep = dyn_cast<GEPOperator>(value)) {
        origins.isOffset |= !gep->hasAllZeroIndices();
        next.push_back(gep->getPointerOperand());
    } else if (isa<IntToPtrInst>(value) || isa<PtrToIntInst>(value) || isa<BinaryOperator>(value)) {
        origins.isOffset = true;
        next.append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
    } else if (auto *select = dyn_cast<SelectInst>(value)) {
        next.append({select->getTrueValue(), select->getFalseValue()});
    } else if (isa<PHINode>(value) || isa<CastInst>(value) || isa<InsertValueInst>(value) ||
               isa<ExtractValueInst>(value) || isa<FreezeInst>(value)) {
        next.append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
    } else if (!isa<ConstantPointerNull>(value) && !isa<UndefValue>(value) && !isNumber) {
        origins.isUnknown = true;
    }
}

Origins Flow::originsOf(Value *pointer) {
    Origins origins;
    SmallPtrSet<Value *, 16> seen;
    SmallVector<Value *, 16> next = {pointer};
    while (!next.empty()) {
        Value *value = next.pop_back_val();
        if (seen.insert(value).second)
            follow(value, next, origins);
    }
    return origins;
}

const Origins &Flow::returnedBy(const Function &function) {
    auto [position, isNew] = returned.try_emplace(&function);
    if (!isNew)
        return position->second; // of a function that calls itself: nothing yet, so it is a call like others
    Origins all;
    for (const BasicBlock &block : function) {
        auto *back = dyn_cast<ReturnInst>(block.getTerminator());
        if (!back || !back->getReturnValue())
            continue;
        all.add(originsOf(back->getReturnValue()));
    }
    return returned[&function] = all;
}

/* The one that a pointer is; 0: another one, or some part of it. */
ParameterSet Flow::parameterIn(Value *pointer) {
    Origins origins = originsOf(pointer);
    return origins.isUnknown || origins.isOffset || !origins.calls.empty() ? 0 : origins.parameters;
}

ParameterSet Flow::handedTo(const CallBase &call) {
    ParameterSet handed = 0;
    for (Value *argument : call.args())
        if (argument->getType()->isPointerTy())
            handed |= parameterIn(argument);
    return handed;
}

/* The numbers that the result of a call, or what it stores, is computed from. A property of some thing that
 * it is given (how many symbols a file has) is not what the caller asks for, unless that is to be copied. */
void Flow::pushInputs(CallBase &call, ParameterSet copied, Values &next) {
    const Function *callee = surelyCalled(call);
    bool isAny = callee && (measuresText(*callee) || returnsFirst(*callee) || callee->isIntrinsic());
    for (Value *argument : call.args())
        if (isAny || !argument->getType()->isPointerTy() || (copied && parameterIn(argument) & copied))
            next.push_back(argument);
}

const std::vector<Flow::NumberSet> &Flow::numbersSetIn(const Function &function) {
    auto [position, isNew] = numbers.insert({&function, {}});
    if (!isNew)
        return position->second;
    for (const Instruction &instruction : instructions(function)) {
        auto *store = dyn_cast<StoreInst>(&instruction);
        if (!store || !isSize(*store->getValueOperand()->getType()) ||
            variableAt(const_cast<Value *>(store->getPointerOperand())))
            continue;
        std::optional<AccessPath> place =
            accessPathOrBlockOf(*const_cast<Value *>(store->getPointerOperand()), *store);
        if (place && !isa<GlobalVariable>(place->root))
            position->second.push_back({*place, const_cast<Value *>(store->getValueOperand())});
    }
    return position->second;
}

void Flow::pushSetWhereLoaded(LoadInst &load, Values &next) {
    const std::vector<NumberSet> &all = numbersSetIn(*load.getFunction());
    std::optional<AccessPath> place =
        all.empty() ? std::nullopt : accessPathOrBlockOf(*load.getPointerOperand(), load);
    for (const NumberSet &set : all)
        if (place && set.place.root == place->root && set.place.steps == place->steps &&
            set.value->getType() == load.getType())
            next.push_back(set.value);
}

/* Whether it is how far apart two pointers are of which one is found in some thing: that is a property of the
 * thing, as a number in it is. */
static bool isDistanceWithin(const Value &value) {
    auto *difference = dyn_cast<BinaryOperator>(&value);
    return difference && difference->getOpcode() == Instruction::Sub &&
           any_of(difference->operands(), [](const Use &part) {
               auto *pointer = dyn_cast<PtrToIntOperator>(part);
               auto *load =
                   pointer ? dyn_cast<LoadInst>(pointer->getOperand(0)->stripPointerCasts()) : nullptr;
               return load && !variableAt(const_cast<Value *>(load->getPointerOperand()));
           });
}

ParameterSet Flow::parametersBehind(Value *value, bool isPointeeToo, ParameterSet copied) {
    ParameterSet parameters = 0;
    SmallPtrSet<Value *, 16> seen;
    SmallVector<Value *, 16> next = {value};
    while (!next.empty()) {
        value = next.pop_back_val();
        if (!seen.insert(value).second || isa<Constant>(value) || isa<BasicBlock>(value))
            continue;
        if (auto *argument = dyn_cast<Argument>(value)) {
            parameters |= bitOf(*argument);
        } else if (auto *variable = dyn_cast<AllocaInst>(value)) {
            eachUse(*variable, [&](Instruction &user, Value *pointer) {
                auto *store = dyn_cast<StoreInst>(&user);
                if (store && store->getPointerOperand() == pointer)
                    next.push_back(store->getValueOperand());
                else if (auto *call = dyn_cast<CallBase>(&user); call && !isHarmless(user))
                    pushInputs(*call, copied, next);
            });
        } else if (auto *call = dyn_cast<CallBase>(value)) {
            pushInputs(*call, copied, next);
        } else if (auto *load = dyn_cast<LoadInst>(value);
                   load && !isPointeeToo && !variableAt(load->getPointerOperand())) {
            if (isSize(*load->getType()))
                pushSetWhereLoaded(*load, next);
        } else if (!isPointeeToo && isDistanceWithin(*value)) {
            continue;
        } else if (auto *user = dyn_cast<User>(value)) {
            next.append(user->op_begin(), user->op_end());
        }
    }
    return parameters;
}

/* Whether a variable is set to what is computed from itself. */
static bool isCounter(const AllocaInst &variable) {
    return any_of(variable.users(), [&](const User *user) {
        auto *store = dyn_cast<StoreInst>(user);
        auto *step = store ? dyn_cast<BinaryOperator>(store->getValueOperand()) : nullptr;
        return step && any_of(step->operands(), [&](const Value *part) {
                   auto *load = dyn_cast<LoadInst>(part);
                   return load && load->getPointerOperand() == &variable;
               });
    });
}

ParameterSet Flow::limitsOf(Value *number, bool isCounted) {
    ParameterSet limits = 0;
    if (isa<BinaryOperator>(number) || isa<CastInst>(number))
        for (Value *part : cast<User>(number)->operands())
            limits |= limitsOf(part, isCounted);
    auto *load = dyn_cast<LoadInst>(number);
    auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    if (!variable || (isCounted && !isCounter(*variable)))
        return limits;
    for (const User *value : variable->users())
        for (const User *user : value->users())
            if (auto *test = dyn_cast<ICmpInst>(user))
                limits |= parametersBehind(test->getOperand(test->getOperand(0) == value), false);
    return limits;
}

} // namespace allocsite
