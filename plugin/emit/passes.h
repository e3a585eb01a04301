/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The passes, in the order in which they run. */
#ifndef ALLOCSITE_EMIT_PASSES_H
#define ALLOCSITE_EMIT_PASSES_H

#include "site/type_table.h"

#include <llvm/IR/PassManager.h>
#include <memory>

namespace allocsite {

/* A pass that runs at -O0 too. */
template <class Pass> struct RequiredPass : llvm::PassInfoMixin<Pass> {
    static bool isRequired() {
        return true;
    }
};

/* First stage, before the optimizer: keeps allocator calls apart and remembers what inlining will forget. */
struct MarkPass : RequiredPass<MarkPass> {
    std::shared_ptr<Notes> notes;

    explicit MarkPass(std::shared_ptr<Notes> notes) : notes(std::move(notes)) {}
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Before the optimizer, but behind what reads all lines: coverage and profiles by samples. Lines that clang
 * keeps for the sites alone, without -g, cost each pass that moves or copies code. Sites keep theirs. */
struct ThinLinesPass : RequiredPass<ThinLinesPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Second stage, after the optimizer: every allocator call that is left passes its site to the runtime. */
struct RewritePass : RequiredPass<RewritePass> {
    std::shared_ptr<Notes> notes;

    explicit RewritePass(std::shared_ptr<Notes> notes) : notes(std::move(notes)) {}
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Behind that, with -allocsite-contexts: functions keep their calling contexts (contexts.cpp). */
struct ContextPass : RequiredPass<ContextPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Last: the sites have their lines. */
struct DropLinesPass : RequiredPass<DropLinesPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace allocsite

#endif
