/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mark.h"

#include <llvm/IR/DebugInfoMetadata.h>

#include <map>
#include <tuple>

#include "find.h"
#include "site.h"

using namespace llvm;

namespace allocsite {

/* Only `nomerge` and metadata: both leave every optimisation of heap calls as it is, and a call that LLVM
 * makes itself simply has neither. Without `nomerge` SimplifyCFG makes one call, with no line, of the two in
 * `if (c) p = malloc(8); else p = malloc(16);`. */
static void mark(Function &function) {
    std::map<std::tuple<const DILocalScope *, unsigned, unsigned, const allocator *>, unsigned> seen;
    for (const AllocatorCall &found : findAllocatorCalls(function)) {
        found.call->addFnAttr(Attribute::NoMerge);
        const DILocation *location = found.call->getDebugLoc().get();
        if (!location)
            continue;
        unsigned ordinal =
            seen[{location->getScope(), location->getLine(), location->getColumn(), found.what}]++;
        if (ordinal > 0)
            setOrdinal(*found.call, ordinal);
    }
}

PreservedAnalyses MarkPass::run(Module &module, ModuleAnalysisManager &) {
    for (Function &function : module) {
        if (!isInstrumented(function))
            continue;
        names->note(function);
        mark(function);
    }
    return PreservedAnalyses::all();
}

} // namespace allocsite
