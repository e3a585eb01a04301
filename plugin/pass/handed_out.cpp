/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pointers that a function returns, or stores in memory that it was handed, in the IR as clang makes it.
 */
#include "pass/pass.h"

#include <cstring>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <set>

using namespace llvm;

namespace allocsite {

namespace {

using Offset = std::optional<int64_t>; // nothing: not constant

/* One function. */
struct Walk {
    HandedOut &others;
    const Function &function;
    const DataLayout &layout;
    std::vector<const StoreInst *> stores = {}; // of pointers, in memory that is not a local variable
    std::optional<DominatorTree> tree = {};
    std::map<const AllocaInst *, bool> holdsReached = {};
};

/* The search for what one pointer can be. */
struct Search {
    Walk &walk;
    Pointers found = {};
    SmallVector<const Value *, 16> next = {};
    SmallPtrSet<const Value *, 16> seen = {};
    std::set<std::pair<const AllocaInst *, int64_t>> variables = {};
};

} // namespace

void Pointers::add(const Pointers &others) {
    hasBlock |= others.hasBlock;
    isOther |= others.isOther;
    arguments |= others.arguments;
    calls.insert(others.calls.begin(), others.calls.end());
}

static bool hasPointer(const Type *type) {
    if (auto *array = dyn_cast<ArrayType>(type))
        return hasPointer(array->getElementType());
    auto *structure = dyn_cast<StructType>(type);
    return type->isPointerTy() || (structure && any_of(structure->elements(), hasPointer));
}

/* ---- Addresses. */

static const Value *baseOf(const Value *pointer) {
    for (;;) {
        pointer = pointer->stripPointerCasts();
        auto *part = dyn_cast<GEPOperator>(pointer);
        if (!part)
            return pointer;
        pointer = part->getPointerOperand();
    }
}

/* Calls visit(user, offset) for each use of a variable, or of a pointer into it. */
template <class Visit>
static void eachUse(const AllocaInst &variable, const DataLayout &layout, Visit visit) {
    SmallVector<std::pair<const Value *, Offset>, 4> pointers = {{&variable, 0}};
    while (!pointers.empty()) {
        auto [pointer, offset] = pointers.pop_back_val();
        for (const Use &use : pointer->uses()) {
            auto *part = dyn_cast<GEPOperator>(use.getUser());
            APInt step(layout.getIndexTypeSizeInBits(variable.getType()), 0);
            if (part)
                pointers.push_back({part, offset && part->accumulateConstantOffset(layout, step)
                                              ? Offset(*offset + step.getSExtValue())
                                              : std::nullopt});
            else if (isa<BitCastInst>(use.getUser()) || isa<AddrSpaceCastInst>(use.getUser()))
                pointers.push_back({use.getUser(), offset});
            else
                visit(use, offset);
        }
    }
}

static const StoreInst *storeTo(const Use &use) {
    auto *store = dyn_cast<StoreInst>(use.getUser());
    return store && use.getOperandNo() == StoreInst::getPointerOperandIndex() ? store : nullptr;
}

static bool isReached(Walk &walk, const Value *pointer);

static bool holdsReached(Walk &walk, const AllocaInst &variable) {
    auto [position, isNew] = walk.holdsReached.try_emplace(&variable, false);
    if (!isNew)
        return position->second;
    bool isAny = false;
    eachUse(variable, walk.layout, [&](const Use &use, Offset) {
        const StoreInst *store = storeTo(use);
        isAny |= store && store->getValueOperand()->getType()->isPointerTy() &&
                 isReached(walk, store->getValueOperand());
    });
    return walk.holdsReached[&variable] = isAny;
}

/* Whether it points into memory that the function was handed. */
static bool isReached(Walk &walk, const Value *pointer) {
    pointer = baseOf(pointer);
    if (auto *argument = dyn_cast<Argument>(pointer))
        return !argument->hasByValAttr();
    if (auto *choice = dyn_cast<SelectInst>(pointer))
        return isReached(walk, choice->getTrueValue()) || isReached(walk, choice->getFalseValue());
    auto *load = dyn_cast<LoadInst>(pointer);
    if (!load)
        return false;
    const Value *from = baseOf(load->getPointerOperand());
    auto *variable = dyn_cast<AllocaInst>(from);
    return variable ? holdsReached(walk, *variable) : isReached(walk, from);
}

/* A variable that is set once: a parameter as a rule. */
static bool isConstant(const Walk &walk, const AllocaInst &variable) {
    unsigned stores = 0;
    eachUse(variable, walk.layout, [&](const Use &use, Offset) { stores += !isa<LoadInst>(use.getUser()); });
    return stores <= 1;
}

static bool isSameAddress(const Walk &walk, const Value *a, const Value *b) {
    a = a->stripPointerCasts(), b = b->stripPointerCasts();
    if (a == b)
        return true;
    if (auto *loadA = dyn_cast<LoadInst>(a)) {
        auto *loadB = dyn_cast<LoadInst>(b);
        auto *variable = dyn_cast<AllocaInst>(baseOf(loadA->getPointerOperand()));
        return loadB && variable && isConstant(walk, *variable) &&
               isSameAddress(walk, loadA->getPointerOperand(), loadB->getPointerOperand());
    }
    auto *partA = dyn_cast<GEPOperator>(a), *partB = dyn_cast<GEPOperator>(b);
    return partA && partB && partA->getSourceElementType() == partB->getSourceElementType() &&
           std::equal(partA->idx_begin(), partA->idx_end(), partB->idx_begin(), partB->idx_end()) &&
           isSameAddress(walk, partA->getPointerOperand(), partB->getPointerOperand());
}

/* ---- Values. */

/* What a load surely finds that the function has stored itself; false: it finds something else. */
static bool followOwnStore(Search &search, const LoadInst &load) {
    Walk &walk = search.walk;
    SmallVector<const StoreInst *, 4> same;
    bool isSure = false;
    for (const StoreInst *store : walk.stores) {
        if (!isSameAddress(walk, store->getPointerOperand(), load.getPointerOperand()))
            continue;
        if (!walk.tree)
            walk.tree.emplace(const_cast<Function &>(walk.function));
        isSure |= walk.tree->dominates(store, &load);
        same.push_back(store);
    }
    for (const StoreInst *store : same)
        if (isSure)
            search.next.push_back(store->getValueOperand());
    return isSure;
}

static const Value *returnedArgument(const CallBase &call) {
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
        Intrinsic::ID id = intrinsic->getIntrinsicID();
        bool passes = id == Intrinsic::launder_invariant_group || id == Intrinsic::strip_invariant_group ||
                      id == Intrinsic::ptrmask || id == Intrinsic::ptr_annotation;
        return passes ? call.getArgOperand(0) : nullptr;
    }
    const Function *callee = surelyCalled(call);
    return callee && returnsFirst(*callee) ? call.getArgOperand(0) : call.getReturnedArgOperand();
}

static bool isHook(const CallBase &call) {
    return mayBeHook(call) &&
           any_of(call.args(), [](const Use &argument) { return isSize(*argument->getType()); });
}

/* Of an allocator, or of a function of the C library that is declared to return a block, as fopen. */
static bool isAllocating(const CallBase &call, const Function &callee) {
    const allocator *what = allocatorThatIs(callee, call.getFunctionType());
    return what ? what->kind != ALLOCSITE_FREE : isOfLanguage(callee) && callee.returnDoesNotAlias();
}

/* Whether an allocator stores the block where its first argument says, as posix_memalign and getline. */
static bool isStoringBlock(const CallBase &call) {
    const allocator *what = allocatorCalled(call);
    return what && strchr("iz", what->prototype[0]) && what->prototype[1] == 'p' &&
           StringRef(what->symbol).find("scandir") != 0;
}

static void pushArguments(Search &search, const CallBase &call, uint64_t arguments) {
    for (unsigned i = 0; i < call.arg_size() && i < 64; i++)
        if (arguments >> i & 1)
            search.next.push_back(call.getArgOperand(i));
}

/* What a function of the module gives its caller; nullptr: it is not known (yet). */
static const HandedOut::Of *bodyOf(Search &search, const Function &callee) {
    const HandedOut::Of *of = callee.isDeclaration() ? nullptr : &search.walk.others.of(callee);
    return of && of->isComplete ? of : nullptr;
}

static void followCall(Search &search, const CallBase &call) {
    const Function *callee = surelyCalled(call);
    if (const Value *same = returnedArgument(call)) {
        search.next.push_back(same);
    } else if (!callee || callee->isIntrinsic()) {
        isHook(call) ? search.found.hasBlock = true : search.found.isOther = true;
    } else if (isAllocating(call, *callee)) {
        search.found.hasBlock = true;
    } else if (const HandedOut::Of *of = bodyOf(search, *callee); of && of->returned.isArgument()) {
        pushArguments(search, call, of->returned.arguments);
    } else if (isOfLanguage(*callee)) {
        search.found.isOther = true;
    } else {
        search.found.calls.insert(callee);
    }
}

/* A call that is told where a variable is. */
static void followSetting(Search &search, const CallBase &call) {
    const Function *callee = surelyCalled(call);
    if (!callee) {
        search.found.isOther = true;
    } else if (isAllocating(call, *callee)) {
        search.found.hasBlock = true;
    } else if (const HandedOut::Of *of = bodyOf(search, *callee); of && of->stored.isArgument()) {
        pushArguments(search, call, of->stored.arguments);
    } else if (!isOfLanguage(*callee) && !allocatorThatIs(*callee) && !(of && of->stored.isNone())) {
        search.found.calls.insert(callee);
    }
}

static void followVariable(Search &search, const AllocaInst &variable, Offset at, uint64_t size);

static void followCopy(Search &search, const MemTransferInst &copy, Offset at, Offset to, uint64_t size) {
    const DataLayout &layout = search.walk.layout;
    APInt from(layout.getIndexTypeSizeInBits(copy.getRawSource()->getType()), 0);
    auto *source =
        dyn_cast<AllocaInst>(copy.getRawSource()->stripAndAccumulateConstantOffsets(layout, from, true));
    if (source)
        followVariable(search, *source, at && to ? Offset(from.getSExtValue() + *at - *to) : std::nullopt,
                       size);
    else
        search.found.isOther = true;
}

/* All that these bytes of a variable can have been set to. */
static void followVariable(Search &search, const AllocaInst &variable, Offset at, uint64_t size) {
    const DataLayout &layout = search.walk.layout;
    if (!search.variables.insert({&variable, at.value_or(-1)}).second)
        return;
    eachUse(variable, layout, [&](const Use &use, Offset offset) {
        auto *call = dyn_cast<CallBase>(use.getUser());
        if (const StoreInst *store = storeTo(use)) {
            Type *type = store->getValueOperand()->getType();
            if (!at || !offset ||
                (*at < *offset + int64_t(layout.getTypeStoreSize(type).getFixedSize()) &&
                 *offset < *at + int64_t(size)))
                search.next.push_back(store->getValueOperand());
        } else if (auto *copy = dyn_cast<MemTransferInst>(use.getUser())) {
            if (use.getOperandNo() == 0)
                followCopy(search, *copy, at, offset, size);
        } else if (call && !isa<IntrinsicInst>(call)) {
            followSetting(search, *call);
        } else if (!call && !isa<LoadInst>(use.getUser()) && !isa<ICmpInst>(use.getUser())) {
            search.found.isOther = true;
        }
    });
}

static void followLoad(Search &search, const LoadInst &load) {
    const DataLayout &layout = search.walk.layout;
    APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperand()->getType()), 0);
    const Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    uint64_t size = layout.getTypeStoreSize(load.getType()).getFixedSize();
    if (auto *variable = dyn_cast<AllocaInst>(base))
        followVariable(search, *variable, offset.getSExtValue(), size);
    else if (auto *variable = dyn_cast<AllocaInst>(baseOf(base)))
        followVariable(search, *variable, std::nullopt, size);
    else if (hasPointer(load.getType()) && !followOwnStore(search, load))
        search.found.isOther = true;
}

/* The compiler sets what a class needs for its virtual functions. */
static bool isClassData(const Value &value) {
    return value.getName().find("_ZTV") == 0 || value.getName().find("_ZTT") == 0;
}

/* One step back. Of a number only the pointers that it is made of count. */
static void follow(Search &search, const Value *value) {
    bool isPointer = hasPointer(value->getType());
    if (auto *argument = dyn_cast<Argument>(value)) {
        search.found.isOther |= isPointer && argument->getArgNo() >= 64;
        if (isPointer && argument->getArgNo() < 64)
            search.found.arguments |= uint64_t(1) << argument->getArgNo();
    } else if (auto *call = dyn_cast<CallBase>(value)) {
        if (isPointer)
            followCall(search, *call);
    } else if (auto *load = dyn_cast<LoadInst>(value)) {
        followLoad(search, *load);
    } else if (auto *part = dyn_cast<GEPOperator>(value)) {
        search.next.push_back(part->getPointerOperand());
    } else if (auto *choice = dyn_cast<SelectInst>(value)) {
        search.next.append({choice->getTrueValue(), choice->getFalseValue()});
    } else if (isa<PHINode>(value) || isa<Operator>(value) || isa<InsertValueInst>(value) ||
               isa<ConstantAggregate>(value)) {
        if (isPointer || !isa<CmpInst>(value))
            search.next.append(cast<User>(value)->op_begin(), cast<User>(value)->op_end());
    } else if (isPointer && !isa<ConstantPointerNull>(value) && !isa<UndefValue>(value) &&
               !isa<ConstantAggregateZero>(value)) {
        search.found.isOther |= !isClassData(*value);
    }
}

static Pointers finish(Search &search) {
    while (!search.next.empty())
        if (const Value *value = search.next.pop_back_val(); search.seen.insert(value).second)
            follow(search, value);
    return search.found;
}

static Pointers search(Walk &walk, const Value *value) {
    Search search = {walk};
    search.next.push_back(value);
    return finish(search);
}

static Pointers searchVariable(Walk &walk, const AllocaInst &variable) {
    Search search = {walk};
    followVariable(search, variable, std::nullopt, 0);
    return finish(search);
}

static bool isPointerElsewhere(const StoreInst &store) {
    return hasPointer(store.getValueOperand()->getType()) &&
           !isa<AllocaInst>(baseOf(store.getPointerOperand()));
}

static void addStored(Walk &walk, const Instruction &instruction, Pointers &stored) {
    if (auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
        auto *source = dyn_cast<AllocaInst>(baseOf(copy->getRawSource()));
        if (source && hasPointer(source->getAllocatedType()) && isReached(walk, copy->getRawDest()))
            stored.add(searchVariable(walk, *source));
    } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
        stored.hasBlock |= isStoringBlock(*call) && isReached(walk, call->getArgOperand(0));
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
        if (isPointerElsewhere(*store) && isReached(walk, store->getPointerOperand()))
            stored.add(search(walk, store->getValueOperand()));
    }
}

const HandedOut::Of &HandedOut::of(const Function &function) {
    auto [position, isNew] = known.try_emplace(&function);
    Of &of = position->second; // stays where it is
    if (!isNew)
        return of;
    Walk walk = {*this, function, function.getParent()->getDataLayout()};
    for (const Instruction &instruction : instructions(function))
        if (auto *store = dyn_cast<StoreInst>(&instruction); store && isPointerElsewhere(*store))
            walk.stores.push_back(store);
    for (const Instruction &instruction : instructions(function)) {
        auto *end = dyn_cast<ReturnInst>(&instruction);
        if (end && end->getReturnValue() && hasPointer(function.getReturnType()))
            of.returned.add(search(walk, end->getReturnValue()));
        else
            addStored(walk, instruction, of.stored);
    }
    of.isComplete = true;
    return of;
}

} // namespace allocsite
