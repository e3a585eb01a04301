/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function is a wrapper if all that it returns are blocks that allocators or other wrappers gave it, or
 * null, or what its caller brought, if it has not put the blocks where others find them (then it is a
 * registry, which keeps what it returns; a list of all blocks is none), and if the size asked for depends on
 * a parameter. One that always asks for the same makes some thing, a constructor: the line that a person
 * would name is in it. A block below a header may be stored: that is bookkeeping. The result of a hook, a
 * function by a pointer, may be handed on besides; and so may any pointer, a block that was given back
 * before, if nobody but the caller can know of the new ones.
 *
 * Functions are taken for wrappers until something speaks against one, so that recursion needs no rule of its
 * own. The sizes are then traced from the allocators up, and whom they do not reach is none. */
#include "wrap/bodies.h"

#include "base/settings.h"
#include "find/find.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace allocsite {

/* A call whose block is handed on. */
struct Leaf {
    CallBase *call;
    Function *callee;
    const allocator *what;               // nullptr: it is no allocator; a hook if there is no callee either
    SmallVector<ParameterSet, 4> behind; // each argument
    bool isAlone = false;                // nobody but who is returned it can know of the block
};

/* One that an allocator is known to be behind is a wrapper only if that one's size depends on a parameter;
 * then what may be an allocator as well has to be asked for the same. */
struct Candidate {
    SmallVector<Leaf, 2> leaves;
    ParameterSet sizes = 0;    // parameters that the size depends on
    ParameterSet pointers = 0; // parameters whose block is reallocated
    bool isSure = false;       // some leaf surely comes to an allocator
    bool isMixed = false;      // other pointers are returned as well
};

using Candidates = MapVector<Function *, Candidate>;

Wrapper argumentsOf(const allocator &what) {
    Wrapper arguments;
    arguments.kind = what.kind;
    SmallVector<uint8_t, 3> sizes;
    for (uint8_t i = 1; what.prototype[i]; i++) {
        if (what.prototype[i] == 'z')
            sizes.push_back(i);
        else if (what.kind != ALLOCSITE_ALLOC && what.prototype[i] == 'p' && !arguments.pointer)
            arguments.pointer = i;
    }
    if (sizes.empty() || what.kind == ALLOCSITE_FREE)
        return arguments;
    StringRef callee = what.callee;
    bool isNew = callee.contains("new");
    arguments.size = isNew ? sizes.front() : sizes.back();
    if (sizes.size() > 1 && callee.contains("lloc") && !callee.contains("align"))
        arguments.count = sizes.front();
    else if (sizes.size() > 1)
        arguments.align = isNew ? sizes.back() : sizes.front();
    return arguments;
}

void addCallers(const Function &function, SmallVectorImpl<Function *> &next) {
    for (const Use &use : function.uses())
        if (auto *call = dyn_cast<CallBase>(use.getUser()); call && call->isCallee(&use))
            next.push_back(const_cast<CallBase *>(call)->getFunction());
}

bool maySearch(const Function &function) {
    return !function.isDeclaration() && !function.hasFnAttribute(Attribute::Naked) &&
           function.getSubprogram() && !isAllocator(function) && function.getName() != "main";
}

/* A function of a library that makes an object in memory. */
static bool isLibraryMaker(const Leaf &leaf) {
    return leaf.callee && !leaf.what && leaf.call->getType()->isVoidTy() && isOfLibrary(*leaf.callee);
}

static bool isLeaf(CallBase *call, const FoundWrappers &found, Leaf &leaf) {
    leaf = {call, surelyCalled(*call), allocatorCalled(*call), {}};
    if (leaf.what)
        return leaf.what->kind != ALLOCSITE_FREE;
    return !leaf.callee || !leaf.callee->isDeclaration() || found.count(leaf.callee) || isLibraryMaker(leaf);
}

/* For as much as the caller wants. */
static bool isAskedAgain(const CallBase &call, Flow &flow) {
    return any_of(call.args(), [&](const Use &argument) {
        return isSize(*argument->getType()) && flow.parametersBehind(argument, true);
    });
}

/* Whether a call is made only where one of these gave no block: its result is that of a failure. */
static bool isAfterFailure(const CallBase &call, const Origins &origins, Flow &flow,
                           const FoundWrappers &found) {
    const BasicBlock *block = call.getParent(), *before = block->getSinglePredecessor();
    auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    auto *test = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!test || !test->isEquality() || !isa<ConstantPointerNull>(test->getOperand(1)) ||
        branch->getSuccessor(test->getPredicate() != CmpInst::ICMP_EQ) != block)
        return false;
    Origins tested = flow.originsOf(test->getOperand(0));
    return !tested.isUnknown && any_of(tested.calls, [&](CallBase *other) {
        Leaf leaf;
        return other != &call && origins.calls.contains(other) && isLeaf(other, found, leaf);
    });
}

/* Whether what is returned besides the leaves takes nothing from them. */
static bool isCallersAlone(const Candidate &candidate) {
    return !candidate.leaves.empty() &&
           (!candidate.isMixed || all_of(candidate.leaves, [](const Leaf &leaf) { return leaf.isAlone; }));
}

/* By what the source declares. */
static bool isMemory(const DISubprogram &function) {
    auto types = function.getType() ? function.getType()->getTypeArray() : nullptr;
    auto *result = types && types.size() ? dyn_cast_or_null<DIDerivedType>(types[0]) : nullptr;
    return result && result->getTag() == dwarf::DW_TAG_pointer_type && !result->getBaseType();
}

/* Whether others may come by the block without its caller. Who notes memory in some node, to free it
 * with a pool, has made nothing of it; who finds it again returns other pointers, too. */
static bool isKept(CallBase &call, const Origins &origins, Flow &flow) {
    bool isRaw =
        !origins.isUnknown && isMemory(*call.getFunction()->getSubprogram()) && flow.isUntouched(call);
    return !origins.isOffset && !isRaw && flow.isPublished(call);
}

/* The parameters that a call is given as they are, but for those that more than a few others are given, too:
 * a context, and nothing to be copied. */
static ParameterSet copiedBy(const CallBase &call, Flow &flow) {
    static constexpr unsigned Few = 3;
    unsigned given[64] = {};
    ParameterSet handed = flow.handedTo(call), copied = 0;
    for (const Instruction &instruction : instructions(call.getFunction())) {
        auto *other = handed ? dyn_cast<CallBase>(&instruction) : nullptr;
        ParameterSet others = other && !isa<IntrinsicInst>(other) ? flow.handedTo(*other) & handed : 0;
        for (; others; others &= others - 1)
            given[__builtin_ctzll(others)]++;
    }
    for (; handed; handed &= handed - 1)
        copied |= given[__builtin_ctzll(handed)] <= Few ? handed & -handed : 0;
    return copied;
}

/* The parameters behind what a function writes to a stream that makes a text of it. */
static ParameterSet writtenTo(CallBase &stream, Flow &flow) {
    ParameterSet written = 0;
    for (Instruction &instruction : instructions(stream.getFunction())) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (call && call != &stream && any_of(call->args(), [&](const Use &argument) {
                return argument->getType()->isPointerTy() && flow.originsOf(argument).calls.contains(&stream);
            }))
            for (Value *argument : call->args())
                written |= flow.parametersBehind(argument, true);
    }
    return written;
}

static void addLeaf(Candidate &candidate, Leaf &leaf, bool isOnly, Flow &flow) {
    bool isFilled = flow.isFilled(*leaf.call);
    ParameterSet copied = isFilled ? 0 : copiedBy(*leaf.call, flow);
    ParameterSet written = opensText(leaf.what) ? writtenTo(*leaf.call, flow) : 0;
    for (Value *argument : leaf.call->args())
        leaf.behind.push_back(flow.parametersBehind(argument, !isFilled, copied) |
                              flow.limitsOf(argument, true) | written);
    leaf.isAlone = !isOnly && flow.isCallersAlone(*leaf.call);
    candidate.leaves.push_back(std::move(leaf));
}

/* Only what can be told of a function alone. */
static bool isCandidate(Function &function, Flow &flow, const FoundWrappers &found, Candidate &candidate) {
    Type *type = function.getReturnType();
    bool isResult = type->isPointerTy() || type->isStructTy();
    const Origins origins = isResult ? flow.returnedBy(function) : flow.leftBy(function);
    candidate.isMixed = origins.isUnknown;
    if (origins.isUnknown && !isResult)
        return false;
    bool isOnly = !origins.isUnknown && origins.calls.size() == 1;
    for (CallBase *call : origins.calls) {
        Leaf leaf;
        bool isOne = isLeaf(call, found, leaf);
        bool isOfOthers = leaf.callee && !leaf.what && leaf.callee->isDeclaration();
        if (isOfOthers && !(isOne && isAskedAgain(*call, flow)) &&
            isAfterFailure(*call, origins, flow, found))
            continue;
        if (isOne && !isKept(*call, origins, flow))
            addLeaf(candidate, leaf, isOnly, flow);
        else
            candidate.isMixed = true;
    }
    return isCallersAlone(candidate);
}

static bool isSure(const Leaf &leaf, const Candidates &candidates, const FoundWrappers &found) {
    if (isLibraryMaker(leaf))
        return true;
    if (auto known = found.find(leaf.callee); known != found.end())
        return !known->second.wrapper.isPossible;
    auto inner = candidates.find(leaf.callee);
    return leaf.what || (inner != candidates.end() && inner->second.isSure);
}

static void traceSureness(Candidates &candidates, const FoundWrappers &found) {
    for (bool hasGrown = true; hasGrown;) {
        hasGrown = false;
        for (auto &entry : candidates) {
            Candidate &candidate = entry.second;
            if (candidate.isSure ||
                none_of(candidate.leaves, [&](const Leaf &leaf) { return isSure(leaf, candidates, found); }))
                continue;
            candidate.isSure = hasGrown = true;
        }
    }
}

/* The arguments of a call that can be a size or a count; of a hook that copies text all. */
static ParameterSet numbersOf(const CallBase &call) {
    ParameterSet numbers = 0;
    for (unsigned i = 0; i < call.arg_size() && i < 64; i++)
        if (isSize(*call.getArgOperand(i)->getType()))
            numbers |= ParameterSet(1) << i;
    return numbers || !allocatesByPointer(call) ? numbers : ~ParameterSet(0);
}

/* The arguments of a leaf that the size which it is asked for depends on. */
static ParameterSet sizesOf(const Leaf &leaf, const Candidates &candidates, const FoundWrappers &found) {
    if (leaf.what) {
        Wrapper arguments = argumentsOf(*leaf.what);
        return arguments.size ? parameterSet(arguments.size) | parameterSet(arguments.count)
                              : ~ParameterSet(0);
    }
    if (!leaf.callee || isLibraryMaker(leaf))
        return numbersOf(*leaf.call);
    if (auto known = found.find(leaf.callee); known != found.end())
        return known->second.sizes;
    auto inner = candidates.find(leaf.callee);
    return inner == candidates.end() ? 0 : inner->second.sizes;
}

/* The parameters behind them. */
static ParameterSet sizesBehind(const Leaf &leaf, const Candidates &candidates, const FoundWrappers &found) {
    ParameterSet relevant = sizesOf(leaf, candidates, found), sizes = 0;
    for (unsigned i = 0; i < leaf.behind.size() && i < 64; i++)
        if (relevant >> i & 1)
            sizes |= leaf.behind[i];
    return sizes;
}

static void traceSizes(Candidates &candidates, const FoundWrappers &found) {
    for (auto &entry : candidates)
        entry.second.sizes = 0;
    for (bool hasGrown = true; hasGrown;) {
        hasGrown = false;
        for (auto &entry : candidates)
            for (const Leaf &leaf : entry.second.leaves) {
                if (entry.second.isSure && !isSure(leaf, candidates, found))
                    continue;
                ParameterSet sizes = entry.second.sizes | sizesBehind(leaf, candidates, found);
                hasGrown |= sizes != entry.second.sizes;
                entry.second.sizes = sizes;
            }
    }
}

static allocsite_kind kindOf(const Leaf &leaf, const Candidates &candidates, const FoundWrappers &found) {
    if (leaf.what)
        return leaf.what->kind;
    if (auto known = found.find(leaf.callee); known != found.end())
        return known->second.wrapper.kind;
    auto inner = candidates.find(leaf.callee);
    return inner != candidates.end() && inner->second.pointers ? ALLOCSITE_REALLOC : ALLOCSITE_ALLOC;
}

static uint8_t pointerOf(const Leaf &leaf, const Candidates &candidates, const FoundWrappers &found) {
    if (leaf.what)
        return argumentsOf(*leaf.what).pointer;
    if (auto known = found.find(leaf.callee); known != found.end())
        return known->second.wrapper.pointer;
    auto inner = candidates.find(leaf.callee);
    return inner == candidates.end() ? 0 : firstOf(inner->second.pointers);
}

/* The parameters that come back reallocated. */
static void tracePointers(Candidates &candidates, Flow &flow, const FoundWrappers &found) {
    for (bool hasGrown = true; hasGrown;) {
        hasGrown = false;
        for (auto &entry : candidates)
            for (const Leaf &leaf : entry.second.leaves) {
                if (entry.second.pointers || kindOf(leaf, candidates, found) != ALLOCSITE_REALLOC)
                    continue;
                unsigned pointer = pointerOf(leaf, candidates, found);
                if (!pointer || pointer > leaf.call->arg_size())
                    continue;
                Origins origins = flow.originsOf(leaf.call->getArgOperand(pointer - 1));
                entry.second.pointers = origins.isUnknown ? 0 : origins.parameters;
                hasGrown |= entry.second.pointers != 0;
            }
    }
}

/* Whether it is taken for an allocator, if it may be one: it is asked for what an allocator is asked for. */
static bool isAskedForSize(const Leaf &leaf, const Candidate &candidate) {
    return any_of(leaf.behind, [&](ParameterSet behind) { return (behind & candidate.sizes) != 0; });
}

/* What makes some thing of one size: its call is its own, not its caller's. */
static bool isMaker(const Leaf &leaf, const Candidates &candidates) {
    auto inner = candidates.find(leaf.callee);
    return inner != candidates.end() && !inner->second.sizes;
}

/* On demand the callers of makers are billed, but not theirs in turn. */
static bool isLiftedMaker(const Candidate &candidate, const Candidates &candidates,
                          const FoundWrappers &found) {
    return options().lift == LIFT_MAKERS && none_of(candidate.leaves, [&](const Leaf &leaf) {
               return !leaf.callee || isMaker(leaf, candidates) || !sizesOf(leaf, candidates, found);
           });
}

/* Whether a leaf still is one, as far as the other candidates go. Of one that only the linker decides on
 * nothing more can be asked. */
static bool holds(const Leaf &leaf, const Candidate &candidate, const Candidates &candidates,
                  const FoundWrappers &found) {
    if (isSure(leaf, candidates, found))
        return true;
    bool isHook = !leaf.callee && (candidate.isSure || !candidate.isMixed);
    bool mayBe = isHook || found.count(leaf.callee) || candidates.count(leaf.callee);
    return mayBe && (!candidate.isSure || isAskedForSize(leaf, candidate));
}

/* What does not hold is left out: it is one of the other pointers that are returned. */
static bool holds(Candidate &candidate, const Candidates &candidates, const FoundWrappers &found) {
    const Candidate before = candidate;
    erase_if(candidate.leaves, [&](const Leaf &leaf) { return !holds(leaf, before, candidates, found); });
    candidate.isMixed |= candidate.leaves.size() < before.leaves.size();
    return isCallersAlone(candidate);
}

static size_t leavesOf(const Candidates &candidates) {
    size_t leaves = 0;
    for (auto &entry : candidates)
        leaves += entry.second.leaves.size();
    return leaves;
}

/* What is left hands on nothing but blocks; where no parameter sizes them it makes some thing. */
static void settle(Candidates &candidates, Flow &flow, const FoundWrappers &found) {
    for (size_t before = 0; before != leavesOf(candidates);) {
        before = leavesOf(candidates);
        for (auto &entry : candidates)
            entry.second.isSure = false;
        traceSureness(candidates, found);
        traceSizes(candidates, found);
        tracePointers(candidates, flow, found);
        const Candidates all = candidates;
        candidates.remove_if([&](auto &entry) { return !holds(entry.second, all, found); });
    }
}

/* The one parameter, from 1, if it is a number; with two, the size comes behind the count. */
static void nameSizes(const Function &function, ParameterSet sizes, Wrapper &wrapper) {
    SmallVector<uint8_t, 4> numbers;
    for (const Argument &argument : function.args())
        if (argument.getArgNo() < 64 && (sizes >> argument.getArgNo() & 1) &&
            argument.getType()->isIntegerTy())
            numbers.push_back(argument.getArgNo() + 1);
    if (numbers.empty() || numbers.size() > 2)
        return;
    wrapper.size = numbers.back();
    wrapper.count = numbers.size() == 2 ? numbers.front() : 0;
}

/* Whether some hook is behind it, which no linker tells of. */
static bool isByPointer(const Function *function, const Candidates &all,
                        SmallPtrSetImpl<const Function *> &seen) {
    auto candidate = all.find(const_cast<Function *>(function));
    return candidate != all.end() && seen.insert(function).second &&
           any_of(candidate->second.leaves, [&](const Leaf &leaf) {
               return leaf.callee ? isByPointer(leaf.callee, all, seen) : !leaf.what;
           });
}

static FoundWrapper finish(const Function &function, const Candidate &candidate, const Candidates &all) {
    FoundWrapper result;
    SmallPtrSet<const Function *, 8> seen;
    result.sizes = candidate.sizes;
    result.wrapper.isPossible = !candidate.isSure && !isByPointer(&function, all, seen);
    for (const Leaf &leaf : candidate.leaves)
        if (!isMaker(leaf, all))
            result.handedOn.insert(leaf.call);
    if (candidate.pointers) {
        result.wrapper.kind = ALLOCSITE_REALLOC;
        result.wrapper.pointer = firstOf(candidate.pointers);
    }
    nameSizes(function, candidate.sizes, result.wrapper);
    return result;
}

void searchAllocations(Module &module, Flow &flow, const SmallPtrSetImpl<const Function *> &ignored,
                       FoundWrappers &found) {
    Candidates candidates;
    for (Function &function : module) {
        Candidate candidate;
        if (maySearch(function) && !ignored.count(&function) && !found.count(&function) &&
            isCandidate(function, flow, found, candidate))
            candidates.insert({&function, std::move(candidate)});
    }
    settle(candidates, flow, found);
    const FoundWrappers known = found;
    for (auto &entry : candidates)
        if (entry.second.sizes || isLiftedMaker(entry.second, candidates, known))
            found.insert({entry.first, finish(*entry.first, entry.second, candidates)});
}

} // namespace allocsite
