/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function that grows a block which its parameter's structure holds makes room for its callers, who say how
 * much by a number. Where the structure is no more than its block and numbers, a buffer, its functions that
 * look into it are what the C++ standard library's are: the line that appends is the program's, however much
 * it appends. Of other structures no declaration tells: who comes to such a function from another file has
 * the line in it. */
#include "wrap/bodies.h"

#include "find/find.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace allocsite {

/* ---- What the source says of a structure. */

static const DIType *withoutNames(const DIType *type) {
    auto *derived = dyn_cast_or_null<DIDerivedType>(type);
    while (derived &&
           (derived->getTag() == dwarf::DW_TAG_typedef || derived->getTag() == dwarf::DW_TAG_member ||
            derived->getTag() == dwarf::DW_TAG_const_type)) {
        type = derived->getBaseType();
        derived = dyn_cast_or_null<DIDerivedType>(type);
    }
    return type;
}

static const DIType *pointeeOf(const DIType *type) {
    auto *pointer = dyn_cast_or_null<DIDerivedType>(withoutNames(type));
    bool isPointer = pointer && pointer->getTag() == dwarf::DW_TAG_pointer_type;
    return isPointer ? withoutNames(pointer->getBaseType()) : nullptr;
}

/* Two numbers of one type, how much is there and how much is used, and no way to another of its kind. */
static bool isBuffer(const DIType *type) {
    auto *record = dyn_cast_or_null<DICompositeType>(type);
    if (!record || record->getTag() != dwarf::DW_TAG_structure_type || !record->getSizeInBits() ||
        record->getSizeInBits() > 512)
        return false;
    SmallVector<const DIType *, 4> numbers;
    unsigned pointers = 0;
    for (const DINode *node : record->getElements()) {
        auto *member = dyn_cast<DIDerivedType>(node);
        const DIType *inner = member && !member->isBitField() ? withoutNames(member) : nullptr;
        if (!inner || isa<DICompositeType>(inner) || pointeeOf(member) == record)
            return false;
        if (isa<DIBasicType>(inner) && inner->getSizeInBits() >= 32)
            numbers.push_back(inner);
        pointers += pointeeOf(member) && !isa<DISubroutineType>(pointeeOf(member));
    }
    bool hasTwo = any_of(numbers, [&](const DIType *number) { return count(numbers, number) > 1; });
    return hasTwo && pointers > 0 && pointers <= 2;
}

static bool isBuffer(const Argument &argument) {
    const Function &function = *argument.getParent();
    const DISubprogram *subprogram = function.getSubprogram();
    auto types = subprogram && subprogram->getType() ? subprogram->getType()->getTypeArray() : nullptr;
    return types && types.size() == function.arg_size() + 1 + function.isVarArg() &&
           isBuffer(pointeeOf(types[argument.getArgNo() + 1]));
}

/* ---- What a body does with it. */

/* Whether a pointer is, on some way, what is stored there. */
static bool isLoadedFrom(Value *pointer, const AccessPath &place, const Instruction &user) {
    SmallVector<Value *, 4> next = {pointer};
    SmallPtrSet<Value *, 8> seen;
    while (!next.empty()) {
        Value *value = next.pop_back_val()->stripPointerCasts();
        if (!seen.insert(value).second)
            continue;
        if (isa<PHINode>(value) || isa<SelectInst>(value)) {
            next.append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
            continue;
        }
        std::optional<AccessPath> path =
            value->getType()->isPointerTy() ? accessPathOf(*value, user) : std::nullopt;
        if (path && path->root == place.root && path->steps.size() == place.steps.size() + 1 &&
            path->steps.back() == 0 &&
            ArrayRef<int64_t>(path->steps).drop_back() == ArrayRef<int64_t>(place.steps))
            return true;
    }
    return false;
}

/* The parameter whose structure holds the block that a call reallocates; nullptr: none. */
static Argument *holderOf(CallBase &call, Flow &flow) {
    for (const AccessPath &place : flow.placesOf(call)) {
        auto *holder = dyn_cast<Argument>(place.root);
        if (holder && place.steps.size() == 1 && any_of(call.args(), [&](const Use &argument) {
                return argument->getType()->isPointerTy() && isLoadedFrom(argument, place, call);
            }))
            return holder;
    }
    return nullptr;
}

/* What a grower is known by: a function and the parameter whose block it makes grow. */
struct Grower {
    FoundWrapper found;
    unsigned holder = 0; // from 0
};

using Growers = MapVector<Function *, Grower>;

/* Which of the functions that are given a pointer reallocate it, their declarations do not say. */
static bool mayReallocate(const CallBase &call, const FoundWrappers &found) {
    if (const allocator *what = allocatorCalled(call))
        return what->kind == ALLOCSITE_REALLOC;
    Function *callee = surelyCalled(call);
    auto known = callee ? found.find(callee) : found.end();
    return callee ? known != found.end() && known->second.wrapper.kind != ALLOCSITE_FREE : mayBeHook(call);
}

/* Whether more than the linker knows that it allocates. */
static bool isSure(const CallBase &call, const FoundWrappers &found, const Growers &growers) {
    Function *callee = surelyCalled(call);
    auto known = callee ? found.find(callee) : found.end();
    auto grower = callee ? growers.find(callee) : growers.end();
    bool isPossible = known != found.end()
                          ? known->second.wrapper.isPossible
                          : grower != growers.end() && grower->second.found.wrapper.isPossible;
    return !isPossible;
}

/* The parameter that a pointer is as it was given; nullptr: none. */
static Argument *parameterAs(Value *pointer, const Instruction &user) {
    std::optional<AccessPath> path =
        pointer->getType()->isPointerTy() ? accessPathOf(*pointer, user) : std::nullopt;
    bool isWhole = path && path->steps.size() == 1 && path->steps.front() == 0;
    return isWhole ? dyn_cast<Argument>(path->root) : nullptr;
}

/* The parameter that a call makes grow what it holds; nullptr: none. */
static Argument *grownBy(CallBase &call, const FoundWrappers &found, const Growers &growers, Flow &flow) {
    if (mayReallocate(call, found))
        return holderOf(call, flow);
    auto known = growers.find(surelyCalled(call));
    if (known == growers.end() || known->second.holder >= call.arg_size())
        return nullptr;
    return parameterAs(call.getArgOperand(known->second.holder), call);
}

/* Whether a variable is compared with a number that the caller gives. */
static bool isLimited(const AllocaInst &variable, Flow &flow) {
    for (const User *value : variable.users())
        for (const User *user : value->users())
            if (auto *test = dyn_cast<ICmpInst>(user))
                if (flow.parametersBehind(test->getOperand(test->getOperand(0) == value), false))
                    return true;
    return false;
}

/* Whether a number grows up to that. */
static bool isLimited(Value *number, Flow &flow) {
    if (isa<BinaryOperator>(number) || isa<CastInst>(number))
        return any_of(cast<User>(number)->operands(), [&](Value *part) { return isLimited(part, flow); });
    auto *load = dyn_cast<LoadInst>(number);
    auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    return variable && isLimited(*variable, flow);
}

/* By a number or a text that the caller gives. */
static bool isToldHowMuch(const CallBase &call, Flow &flow) {
    return any_of(call.args(), [&](const Use &argument) {
        return isSize(*argument->getType()) &&
               (flow.parametersBehind(argument, false) || isLimited(argument, flow));
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

static unsigned callsWith(Function &function, const Argument &holder) {
    return count_if(instructions(function), [&](Instruction &instruction) {
        auto *call = dyn_cast<CallBase>(&instruction);
        return call && !isa<IntrinsicInst>(call) &&
               any_of(call->args(), [&](const Use &use) { return parameterAs(use, *call) == &holder; });
    });
}

/* Of a buffer's functions that do not look into it those that only call another one are its own, too. */
static bool isOwnOf(Function &function, const Argument &holder) {
    return isBuffer(holder) && (looksInto(function, holder) || callsWith(function, holder) == 1);
}

/* Calls that are not handed on keep their line. */
static bool isGrower(Function &function, const FoundWrappers &found, const Growers &growers, Flow &flow,
                     Grower &grower) {
    Argument *holder = nullptr;
    SmallVector<CallBase *, 4> told, others;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        Argument *grown = call ? grownBy(*call, found, growers, flow) : nullptr;
        if (!grown)
            continue;
        if (holder && grown != holder)
            return false;
        holder = grown;
        (isToldHowMuch(*call, flow) ? told : others).push_back(call);
    }
    if (!holder)
        return false;
    if (!others.empty() && isOwnOf(function, *holder))
        told.append(others);
    grower.holder = holder->getArgNo();
    grower.found.handedOn.insert(told.begin(), told.end());
    grower.found.sizes = parameterSet(grower.holder + 1);
    grower.found.wrapper.isGrower = !isBuffer(*holder) || function.arg_size() == 1;
    grower.found.wrapper.isPossible =
        none_of(told, [&](const CallBase *call) { return isSure(*call, found, growers); });
    return !told.empty();
}

/* One that is known already is looked at again, for more of its calls may turn out to be handed on. */
void searchGrowers(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                   FoundWrappers &found) {
    Growers growers;
    SmallVector<Function *, 16> next;
    for (Function &function : module)
        if (any_of(instructions(function), [&](Instruction &instruction) {
                auto *call = dyn_cast<CallBase>(&instruction);
                return call && mayReallocate(*call, found);
            }))
            next.push_back(&function);
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        Grower grower;
        if (!maySearch(*function) || ignored.count(function) || found.count(function) ||
            !isGrower(*function, found, growers, flow, grower))
            continue;
        bool isNew = !growers.count(function);
        growers[function] = grower;
        if (isNew)
            addCallers(*function, next);
    }
    for (auto &entry : growers)
        found.insert({entry.first, entry.second.found});
}

} // namespace allocsite
