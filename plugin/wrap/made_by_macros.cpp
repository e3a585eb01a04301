/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that a macro defines whole (KHASH_INIT, RB_GENERATE) are C's templates: all of one stands in the
 * line that names the macro, which says nothing of who allocates. They are wrappers of all that they call.
 * And templates of C++ whose callers say what to make. */
#include "wrap/bodies.h"

#include "find/find.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace allocsite {

/* The end of a function and the first thing in it stand at one place, which is where the function stands,
 * only if a macro does. */
static bool isMadeByMacro(const Function &function) {
    const DILocation *first = nullptr, *last = nullptr;
    for (const Instruction &instruction : instructions(function)) {
        const DILocation *location = instruction.getDebugLoc().get();
        bool isEnd = isa<ReturnInst>(instruction);
        last = isEnd ? location : last;
        first = first || isEnd ? first : location;
    }
    return first && last && last->getColumn() && first->getLine() == last->getLine() &&
           first->getColumn() == last->getColumn() && first->getLine() == function.getSubprogram()->getLine();
}

/* Whose address is taken, those may call that no site is left by. */
static bool mayBeOne(const Function &function) {
    return maySearch(function) && !function.hasAddressTaken() && isMadeByMacro(function);
}

static bool allocates(const CallBase &call, const FoundWrappers &found) {
    if (const allocator *what = allocatorCalled(call))
        return what->kind != ALLOCSITE_FREE;
    auto known = found.find(surelyCalled(call));
    return known != found.end() && known->second.wrapper.kind != ALLOCSITE_FREE;
}

static bool takeCalls(Function &function, FoundWrappers &found) {
    FoundWrapper made;
    for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && allocates(*call, found))
            made.handedOn.insert(call);
    if (made.handedOn.empty())
        return false;
    made.wrapper.isPossible = all_of(made.handedOn, [&](const CallBase *call) {
        auto known = found.find(surelyCalled(*call));
        return known != found.end() && known->second.wrapper.isPossible;
    });
    found.insert({&function, made});
    return true;
}

/* Those that make what their caller names or has given: `make<Node>(key)`. */
static void searchFactories(Module &module, const SmallPtrSetImpl<const Function *> &ignored,
                            FoundWrappers &found) {
    FoundWrappers factories;
    for (const Function &callee : module) {
        if (callee.getName().find("_Znw") != 0)
            continue;
        for (const User *user : callee.users()) {
            auto *call = const_cast<CallBase *>(dyn_cast<CallBase>(user));
            Function *function = call ? call->getFunction() : nullptr;
            if (function && maySearch(*function) && !found.count(function) && !ignored.count(function) &&
                makesElement(*call))
                factories[function].handedOn.insert(call);
        }
    }
    for (auto &entry : factories)
        found.insert(entry);
}

void searchMadeByMacros(Module &module, const SmallPtrSetImpl<const Function *> &ignored,
                        FoundWrappers &found) {
    searchFactories(module, ignored, found);
    SmallVector<Function *, 16> left;
    for (Function &function : module)
        if (!found.count(&function) && !ignored.count(&function) && mayBeOne(function))
            left.push_back(&function);
    for (size_t before = left.size() + 1; before != left.size();) {
        before = left.size();
        erase_if(left, [&](Function *function) { return takeCalls(*function, found); });
    }
}

} // namespace allocsite
