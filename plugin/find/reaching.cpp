/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "find/reaching.h"

#include "base/leaves.h"
#include "base/names.h"
#include "find/find.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace allocsite {

static bool isKnown(const Function &function) {
    return !function.isDeclaration() && takesSite(function);
}

/* Code in assembly that calls nothing. */
static bool callsNothing(const InlineAsm &code) {
    StringRef text = code.getAsmString();
    return !text.contains("call") && !text.contains("jmp");
}

/* The runtime's. What gives a block back calls nobody who allocates. */
static bool isEntryThatAllocates(StringRef name) {
    const allocator *what = allocator_find(name.data(), name.size());
    return what && what->kind != ALLOCSITE_FREE;
}

static bool mayAllocateElsewhere(const Function &callee) {
    StringRef name = symbolOf(callee);
    if (callee.isIntrinsic())
        return false;
    if (name.consume_front(ALLOCSITE_ENTRY_PREFIX))
        return isEntryThatAllocates(name);
    return !callee.isDeclaration() || !leaf_has(name.data(), name.size());
}

bool Reaching::mayAllocate(const CallBase &call) const {
    if (auto *code = dyn_cast<InlineAsm>(call.getCalledOperand()))
        return !callsNothing(*code);
    const Function *callee = surelyCalled(call);
    if (!callee)
        return true;
    return isKnown(*callee) ? functions.contains(callee) : mayAllocateElsewhere(*callee);
}

/* Begins with none, and has each function that is found to belong pass that on to its callers. */
Reaching::Reaching(const Module &module) {
    DenseMap<const Function *, SmallVector<const Function *, 4>> callers;
    SmallVector<const Function *, 32> found;
    for (const Function &function : module)
        for (const Instruction &instruction : instructions(function)) {
            auto *call = dyn_cast<CallBase>(&instruction);
            const Function *callee = call ? surelyCalled(*call) : nullptr;
            if (callee && isKnown(*callee))
                callers[callee].push_back(&function);
            else if (call && mayAllocate(*call) && functions.insert(&function).second)
                found.push_back(&function);
        }
    while (!found.empty())
        for (const Function *caller : callers[found.pop_back_val()])
            if (functions.insert(caller).second)
                found.push_back(caller);
}

} // namespace allocsite
