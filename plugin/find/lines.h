/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What clang keeps for the lines of the sites alone, without -g, costs each pass that moves or copies code.
 */
#ifndef ALLOCSITE_FIND_LINES_H
#define ALLOCSITE_FIND_LINES_H

#include <llvm/IR/PassManager.h>

namespace allocsite {

/* Before the optimizer, but behind what reads all lines: coverage and profiles by samples. Sites keep theirs.
 */
struct ThinLinesPass : llvm::PassInfoMixin<ThinLinesPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

/* Last stage: the sites have their lines. */
struct DropLinesPass : llvm::PassInfoMixin<DropLinesPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

} // namespace allocsite

#endif
