/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the pointers that a function returns, or stores in memory that it received. Works on clang's
 * unoptimized IR. */
#include "pass/pass.h"

#include <cstring>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace allocsite {

/* A search for the possible values of a pointer or of a local variable. */
struct Search {
    HandedOut &bodies;
    Pointers found = {};
    SmallVector<const Value *, 16> worklist = {};
    SmallPtrSet<const Value *, 16> visited = {};
};

void Pointers::add(const Pointers &others) {
    hasBlock |= others.hasBlock;
    isOther |= others.isOther;
    arguments |= others.arguments;
    calls.insert(others.calls.begin(), others.calls.end());
    from.insert(others.from.begin(), others.from.end());
}

static bool hasPointer(const Type *type) {
    if (auto *array = dyn_cast<ArrayType>(type))
        return hasPointer(array->getElementType());
    auto *structure = dyn_cast<StructType>(type);
    return type->isPointerTy() || (structure && any_of(structure->elements(), hasPointer));
}

static const Value *baseOf(const Value *pointer) {
    for (;;) {
        pointer = pointer->stripPointerCasts();
        auto *part = dyn_cast<GEPOperator>(pointer);
        if (!part)
            return pointer;
        pointer = part->getPointerOperand();
    }
}

/* Calls visit(use) for each use of a variable, or of a pointer into it. */
template <class Visit> static void eachUse(const Value &variable, Visit visit) {
    for (const Use &use : variable.uses())
        if (isa<GEPOperator>(use.getUser()) || isa<CastInst>(use.getUser()))
            eachUse(*use.getUser(), visit);
        else
            visit(use);
}

/* Returns the value that is stored through this use of an address, or nullptr. */
static const Value *storedBy(const Use &use) {
    auto *store = dyn_cast<StoreInst>(use.getUser());
    bool isAddress = store && use.getOperandNo() == StoreInst::getPointerOperandIndex();
    return isAddress ? store->getValueOperand() : nullptr;
}

/* Returns whether the pointer refers to memory that the function received from its caller. */
static bool isReached(const Value *pointer, SmallPtrSetImpl<const Value *> &visited) {
    pointer = baseOf(pointer);
    if (!visited.insert(pointer).second)
        return false;
    if (auto *argument = dyn_cast<Argument>(pointer))
        return !argument->hasByValAttr();
    if (isa<SelectInst>(pointer) || isa<PHINode>(pointer) || isa<LoadInst>(pointer))
        return any_of(cast<User>(pointer)->operands(), [&](const Value *from) {
            return from->getType()->isPointerTy() && isReached(from, visited);
        });
    bool isAny = false;
    if (isa<AllocaInst>(pointer))
        eachUse(*pointer, [&](const Use &use) {
            const Value *stored = storedBy(use);
            isAny |= stored && stored->getType()->isPointerTy() && isReached(stored, visited);
        });
    return isAny;
}

static bool isReached(const Value *pointer) {
    SmallPtrSet<const Value *, 16> visited;
    return !isa<AllocaInst>(baseOf(pointer)) && isReached(pointer, visited);
}

/* ---- Calls. */

static const Value *returnedArgument(const CallBase &call) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
    const Function *callee = surelyCalled(call);
    bool isFirst = intrinsic ? intrinsic->getIntrinsicID() == Intrinsic::launder_invariant_group ||
                                   intrinsic->getIntrinsicID() == Intrinsic::strip_invariant_group ||
                                   intrinsic->getIntrinsicID() == Intrinsic::ptrmask
                             : callee && returnsFirst(*callee);
    return isFirst ? call.getArgOperand(0) : call.getReturnedArgOperand();
}

/* Returns whether the call looks like that of an allocator through a pointer: it passes a size and returns a
 * pointer. */
static bool isHook(const CallBase &call) {
    return mayBeHook(call) &&
           any_of(call.args(), [](const Use &argument) { return isSize(*argument->getType()); });
}

/* Returns whether the callee is an allocator, or a C library function that returns or stores a block. */
static bool isAllocating(const CallBase &call, const Function &callee) {
    const allocator *row = allocatorThatIs(callee, call.getFunctionType());
    return row ? row->kind != ALLOCSITE_FREE : returnsBlock(callee) || storesBlock(callee);
}

/* Returns whether a call stores a block through its first argument, like posix_memalign and getline. */
static bool isStoringBlock(const CallBase &call) {
    const allocator *row = allocatorCalled(call);
    const Function *callee = call.getCalledFunction();
    return row ? row->prototype[0] == 'i' : callee && storesBlock(*callee);
}

static void addBlock(Pointers &found, const CallBase &call) {
    found.hasBlock = true;
    found.from.insert(&call);
}

/* Follows the value that a call returns, or stores in a variable whose address it receives. */
static void followCall(Search &search, const CallBase &call, Pointers HandedOut::Results::*part) {
    const Function *callee = surelyCalled(call);
    const HandedOut::Results *body =
        callee && !callee->isDeclaration() ? &search.bodies.of(*callee) : nullptr;
    bool isValue = part == &HandedOut::Results::returned;
    if (const Value *same = isValue ? returnedArgument(call) : nullptr) {
        search.worklist.push_back(same);
    } else if (!callee || (isValue && callee->isIntrinsic())) {
        if (isValue && isHook(call))
            addBlock(search.found, call);
        else
            search.found.isOther = true;
    } else if (isAllocating(call, *callee)) {
        addBlock(search.found, call);
    } else if (body && body->isComplete && (body->*part).isOnlyArguments()) {
        for (unsigned i = 0; i < call.arg_size() && i < 64; i++)
            if ((body->*part).arguments >> i & 1)
                search.worklist.push_back(call.getArgOperand(i));
    } else if (isOfLanguage(*callee) || allocatorThatIs(*callee)) {
        search.found.isOther |= isValue;
    } else {
        search.found.calls.insert(callee);
        search.found.from.insert(&call);
    }
}

/* ---- Values. */

static void followVariable(Search &search, const Value &variable) {
    if (!search.visited.insert(&variable).second)
        return;
    eachUse(variable, [&](const Use &use) {
        auto *call = dyn_cast<CallBase>(use.getUser());
        if (const Value *stored = storedBy(use)) {
            search.worklist.push_back(stored);
        } else if (auto *copy = dyn_cast<MemTransferInst>(use.getUser())) {
            auto *from = dyn_cast<AllocaInst>(baseOf(copy->getRawSource()));
            search.found.isOther |= !from && use.getOperandNo() == 0;
            if (from)
                followVariable(search, *from);
        } else if (call && !isa<IntrinsicInst>(call)) {
            followCall(search, *call, &HandedOut::Results::stored);
        } else if (isa<StoreInst>(use.getUser())) {
            search.found.isOther = true; // the address escapes, so any code may set the variable
        }
    });
}

/* Returns whether the compiler stores the value for virtual functions (vtable, VTT). */
static bool isClassData(const Value &value) {
    return value.getName().find("_ZTV") == 0 || value.getName().find("_ZTT") == 0;
}

/* Follows one value backwards. If the value is an integer, follows only the pointers that it was computed
 * from. */
static void followValue(Search &search, const Value *value) {
    bool isPointer = hasPointer(value->getType());
    auto *load = dyn_cast<LoadInst>(value);
    if (auto *argument = dyn_cast<Argument>(value)) {
        search.found.isOther |= isPointer && argument->getArgNo() >= 64;
        search.found.arguments |= isPointer ? uint64_t(1) << argument->getArgNo() % 64 : 0;
    } else if (auto *call = dyn_cast<CallBase>(value)) {
        if (isPointer)
            followCall(search, *call, &HandedOut::Results::returned);
    } else if (load && isa<AllocaInst>(baseOf(load->getPointerOperand()))) {
        followVariable(search, *baseOf(load->getPointerOperand()));
    } else if (auto *part = dyn_cast<GEPOperator>(value)) {
        search.worklist.push_back(part->getPointerOperand());
    } else if (auto *choice = dyn_cast<SelectInst>(value)) {
        search.worklist.append({choice->getTrueValue(), choice->getFalseValue()});
    } else if (!load && (isa<Operator>(value) || isa<PHINode>(value) || isa<InsertValueInst>(value) ||
                         isa<ExtractValueInst>(value) || isa<ConstantAggregate>(value))) {
        search.worklist.append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
    } else if (isPointer && !isa<ConstantPointerNull>(value) && !isa<UndefValue>(value) &&
               !isa<ConstantAggregateZero>(value)) {
        search.found.isOther |= !isClassData(*value);
    }
}

static Pointers finishSearch(Search &search) {
    while (!search.worklist.empty())
        if (const Value *value = search.worklist.pop_back_val(); search.visited.insert(value).second)
            followValue(search, value);
    return search.found;
}

static Pointers storedIn(HandedOut &bodies, const Instruction &instruction) {
    Search search = {bodies};
    if (auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
        auto *source = dyn_cast<AllocaInst>(baseOf(copy->getRawSource()));
        if (source && hasPointer(source->getAllocatedType()) && isReached(copy->getRawDest()))
            followVariable(search, *source);
    } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
        if (isStoringBlock(*call) && isReached(call->getArgOperand(0)))
            addBlock(search.found, *call);
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
        if (hasPointer(store->getValueOperand()->getType()) && isReached(store->getPointerOperand()))
            search.worklist.push_back(store->getValueOperand());
    }
    return finishSearch(search);
}

const HandedOut::Results &HandedOut::of(const Function &function) {
    auto [position, isNew] = known.try_emplace(&function);
    Results &of = position->second; // a reference into a map stays valid when the map grows
    if (!isNew)
        return of;
    for (const Instruction &instruction : instructions(function)) {
        of.stored.add(storedIn(*this, instruction));
        auto *end = dyn_cast<ReturnInst>(&instruction);
        Search search = {*this};
        if (end && end->getReturnValue() && hasPointer(function.getReturnType()))
            search.worklist.push_back(end->getReturnValue());
        of.returned.add(finishSearch(search));
    }
    of.isComplete = true;
    return of;
}

} // namespace allocsite
