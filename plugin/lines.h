/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Last stage: what clang kept for the lines of the sites alone, without -g, goes when the sites have them. */
#ifndef ALLOCSITE_PLUGIN_LINES_H
#define ALLOCSITE_PLUGIN_LINES_H

#include <llvm/IR/PassManager.h>

namespace allocsite {

struct DropLinesPass : llvm::PassInfoMixin<DropLinesPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

} // namespace allocsite

#endif
