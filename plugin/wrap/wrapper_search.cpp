/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The search for wrappers in a module, before the optimizer has touched it: those that users and attributes
 * declare, those whose bodies show it (bodies.h), and the functions of libraries that are to be told the site
 * that they allocate for. */
#include "find/find.h"
#include "wrap/bodies.h"
#include "wrap/wrappers.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace allocsite {

using Functions = SmallPtrSetImpl<const Function *>;

/* An attribute of a definition says no more than its body, which is looked at. */
static bool hasAttribute(const Function &function, Wrapper &wrapper) {
    bool isSized = function.hasFnAttribute(Attribute::AllocSize);
    bool isFresh = function.getAttributes().hasRetAttr(Attribute::NoAlias);
    if (!function.isDeclaration() || function.isIntrinsic() || isAllocator(function) ||
        !function.getReturnType()->isPointerTy() || (!isSized && !isFresh))
        return false;
    wrapper.origin = ALLOCSITE_BY_ATTRIBUTE;
    if (isSized) {
        auto sizes = function.getFnAttribute(Attribute::AllocSize).getAllocSizeArgs();
        wrapper.size = (sizes.second ? *sizes.second : sizes.first) + 1;
        wrapper.count = sizes.second ? sizes.first + 1 : 0;
    }
    return true;
}

/* Of a wrapper only its arguments tell the kind. */
static allocsite_kind kindOf(const listed_function &described) {
    switch (described.kind) {
    case LISTED_REALLOC:
        return ALLOCSITE_REALLOC;
    case LISTED_FREE:
    case LISTED_RELEASE:
        return ALLOCSITE_FREE;
    case LISTED_WRAPPER:
        return !described.pointer ? ALLOCSITE_ALLOC : described.size ? ALLOCSITE_REALLOC : ALLOCSITE_FREE;
    default:
        return ALLOCSITE_ALLOC;
    }
}

static bool isNoWrapper(const listed_function &described) {
    return described.kind == LISTED_IGNORE || described.kind == LISTED_MARK ||
           described.kind == LISTED_BACKING;
}

/* A custom allocator hands on only the blocks that the runtime is told of. */
static FoundWrapper describedWrapper(Function &function, const listed_function &described) {
    FoundWrapper result;
    bool isCustom = described.kind != LISTED_WRAPPER;
    result.wrapper = {kindOf(described), ALLOCSITE_BY_LIST, described.size, described.count,
                      described.align,   described.pointer, false};
    result.handsOnAll = !isCustom;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (call && (isCustom ? tellsOfCustom(allocatorCalled(*call)) : mayBeHook(*call)))
            result.handedOn.insert(call);
    }
    return result;
}

static bool isInside(const Function &function) {
    return !isAllocator(function) && (knownInside(function) || mayAllocateInLibrary(function));
}

static void takeDeclared(Module &module, const Lists &lists, FoundWrappers &found, Functions &ignored) {
    for (Function &function : module) {
        FoundWrapper result;
        if (std::optional<Description> described = lists.of(function)) {
            if (isNoWrapper(described->function))
                ignored.insert(&function);
            else
                found.insert({&function, describedWrapper(function, described->function)});
        } else if (hasAttribute(function, result.wrapper) || isInside(function)) {
            result.wrapper.isInside = result.wrapper.origin != ALLOCSITE_BY_ATTRIBUTE;
            found.insert({&function, result});
        }
    }
    for (auto &entry : found) {
        if (entry.second.wrapper.isInside)
            continue;
        const Wrapper &wrapper = entry.second.wrapper;
        ParameterSet sizes = parameterSet(wrapper.size) | parameterSet(wrapper.count);
        entry.second.sizes = sizes ? sizes : ~ParameterSet(0);
    }
}

static void takePossible(Module &module, const Functions &ignored, Flow &flow, FoundWrappers &found) {
    for (Function &function : module)
        if (!found.count(&function) && !ignored.count(&function))
            if (std::optional<FoundWrapper> possible = possibleWrapper(function)) {
                flow.declareOut(function, possible->out);
                found.insert({&function, *possible});
            }
}

/* ---- Libraries. */

/* Of std::terminate clang leaves out what its header says. What does not return throws, or allocates nothing.
 */
static bool mayAllocateElsewhere(const Function &function) {
    if (function.getName() == "_ZSt9terminatev")
        return false;
    bool isThrow = function.getName().contains("__throw_");
    return function.isDeclaration() && !function.isIntrinsic() && !function.doesNotThrow() &&
           (isThrow || !function.doesNotReturn()) && isOfLibrary(function);
}

static bool allocates(const Function &function, const FoundWrappers &found) {
    auto known = found.find(const_cast<Function *>(&function));
    if (known != found.end() && !known->second.wrapper.isPossible)
        return known->second.wrapper.kind != ALLOCSITE_FREE;
    const allocator *what = allocatorThatIs(function);
    return what ? what->kind != ALLOCSITE_FREE : mayAllocateElsewhere(function);
}

/* Functions of the library that call by a pointer what allocates for them: memory resources, and copies of
 * std::function. */
static bool allocatesByPointers(const Function &function) {
    StringRef name = function.getName();
    return isOfLibrary(function) && (name.find("3pmr15memory_resource8allocateEmm") != StringRef::npos ||
                                     name.find("_ZNSt8functionI") == 0);
}

static bool markPointers(Function &function) {
    bool isMarked = false;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || !call->isIndirectCall())
            continue;
        setAllocatesByPointer(*call, true);
        isMarked = true;
    }
    return isMarked;
}

/* Those that allocate, or call one that does; and those that are only declared, as most of std::string is,
 * and may throw: what cannot allocate says so by noexcept. */
static void searchLibrary(Module &module, const Functions &ignored, FoundWrappers &found) {
    SmallVector<Function *, 32> next;
    for (Function &function : module)
        if ((allocatesByPointers(function) && markPointers(function)) || allocates(function, found))
            next.push_back(&function);
    SmallPtrSet<Function *, 32> seen(next.begin(), next.end());
    while (!next.empty()) {
        Function *function = next.pop_back_val();
        if (isOfLibrary(*function) && !ignored.count(function) && !isAllocator(*function))
            found[function].wrapper.isLibrary = true;
        for (const Use &use : function->uses()) {
            auto *call = dyn_cast<CallBase>(use.getUser());
            Function *caller = call && call->isCallee(&use) ? call->getFunction() : nullptr;
            if (caller && isOfLibrary(*caller) && !ignored.count(caller) && seen.insert(caller).second)
                next.push_back(caller);
        }
    }
}

/* Of what a library makes nobody knew before that it does not allocate. */
static bool handsOnNothing(const FoundWrapper &wrapper, const FoundWrappers &found) {
    return !wrapper.wrapper.isLibrary && !wrapper.handedOn.empty() &&
           none_of(wrapper.handedOn, [&](const CallBase *call) {
               const Function *callee = surelyCalled(*call);
               return !callee || allocatorCalled(*call) || found.count(const_cast<Function *>(callee));
           });
}

static void dropEmpty(FoundWrappers &found) {
    for (size_t before = found.size() + 1; before != found.size();) {
        before = found.size();
        SmallPtrSet<const Function *, 8> empty;
        for (auto &entry : found)
            if (handsOnNothing(entry.second, found))
                empty.insert(entry.first);
        found.remove_if([&](auto &entry) { return empty.count(entry.first) != 0; });
    }
}

/* The calls in a wrapper that are not handed on, unless one that is stands at the same place. */
static SmallVector<DILocation *, 8> ownCalls(Function &function, const FoundWrapper &wrapper,
                                             const FoundWrappers &found) {
    SmallVector<DILocation *, 8> locations;
    if (wrapper.handsOnAll)
        return locations;
    std::set<std::pair<unsigned, unsigned>> handedOn;
    for (const CallBase *call : wrapper.handedOn)
        if (const DILocation *location = call->getDebugLoc().get())
            handedOn.insert({location->getLine(), location->getColumn()});
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        DILocation *location = call ? call->getDebugLoc().get() : nullptr;
        if (!location || wrapper.handedOn.count(call) ||
            handedOn.count({location->getLine(), location->getColumn()}))
            continue;
        if (allocatorCalled(*call) || found.count(surelyCalled(*call)) || mayBeHook(*call))
            locations.push_back(location);
    }
    return locations;
}

/* Of custom allocators a list knows more than a reader needs. */
static void write(Function &function, const FoundWrapper &wrapper, const FoundWrappers &found) {
    if (wrapper.wrapper.isLibrary)
        return Wrappers::write(function, wrapper.wrapper, false, {});
    for (CallBase *call : wrapper.handedOn)
        if (!surelyCalled(*call))
            wrapper.wrapper.kind == ALLOCSITE_FREE ? setFreesByPointer(*call)
                                                   : setAllocatesByPointer(*call, false);
    bool isCustom = wrapper.wrapper.origin == ALLOCSITE_BY_LIST && !wrapper.handsOnAll;
    bool isKnown =
        !isCustom && !wrapper.wrapper.isInside && !(wrapper.wrapper.isPossible && function.isDeclaration());
    Wrappers::write(function, wrapper.wrapper, isKnown && !isOfLibrary(function),
                    ownCalls(function, wrapper, found));
}

/* Calls by a pointer that are asked for a size and return a pointer. */
static void markHooks(Function &function) {
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (call && mayBeHook(*call) && !allocatesByPointer(*call) &&
            any_of(call->args(), [](const Use &argument) { return isSize(*argument->getType()); }))
            setAllocatesByPointer(*call, false);
    }
}

/* Before the search, which does not see what type their arguments have. */
static void markByTypes(Function &function) {
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction);
            call && (copiesTextByPointer(*call) || growsByPointer(*call)))
            setAllocatesByPointer(*call, false);
}

/* Whether other files call a wrapper of which they do not know that it may be one. */
static bool isCalledUnknown(const Function &function, const Wrapper &wrapper) {
    return wrapper.origin == ALLOCSITE_BY_ANALYSIS && wrapper.kind != ALLOCSITE_FREE && !wrapper.isLibrary &&
           function.hasExternalLinkage() && !function.isDeclaration() && !isToldByDeclaration(function);
}

void findWrappers(Module &module, const Lists &lists) {
    Flow flow;
    FoundWrappers found;
    SmallPtrSet<const Function *, 8> ignored;
    takeDeclared(module, lists, found, ignored);
    takePossible(module, ignored, flow, found);
    dropDisproved(found);
    for (Function &function : module)
        if (isInstrumented(function) && !isOfLibrary(function))
            markByTypes(function);
    searchAllocations(module, flow, ignored, found);
    searchFrees(module, flow, ignored, found);
    for (auto &entry : found)
        if (entry.second.wrapper.kind == ALLOCSITE_REALLOC)
            handOnFrees(*entry.first, flow, found, entry.second);
    searchGrowers(module, flow, ignored, found);
    searchDetached(module, flow, ignored, found);
    searchParts(module, flow, ignored, found);
    searchMadeByMacros(module, ignored, found);
    searchLibrary(module, ignored, found);
    dropEmpty(found);
    for (auto &entry : found)
        if (entry.first->getReturnType()->isPointerTy() && !entry.second.holder)
            entry.second.wrapper.isOffset = flow.returnedBy(*entry.first).isOffset;
    for (auto &entry : found)
        entry.second.wrapper.keepsLine |= isCalledUnknown(*entry.first, entry.second.wrapper);
    for (auto &entry : found)
        write(*entry.first, entry.second, found);
    for (Function &function : module) {
        if (isInstrumented(function) && !isOfLibrary(function))
            markHooks(function);
        else if (!function.isDeclaration() && isAllocator(function))
            Wrappers::writeWhereInlined(function, Wrapper(), false, {}); // how it works is not its callers'
    }
}

} // namespace allocsite
