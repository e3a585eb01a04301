/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The passes, in the order in which they run. */
#ifndef ALLOCSITE_EMIT_PASSES_H
#define ALLOCSITE_EMIT_PASSES_H

#include "site/type_table.h"

#include <llvm/IR/PassManager.h>
#include <memory>

namespace allocsite {

/* A pass that also runs at -O0. */
template <class Pass> struct RequiredPass : llvm::PassInfoMixin<Pass> {
    static bool isRequired() {
        return true;
    }
};

/* First stage, before the optimizer: marks allocator calls and notes the facts that inlining destroys. */
struct MarkPass : RequiredPass<MarkPass> {
    std::shared_ptr<Notes> notes;

    explicit MarkPass(std::shared_ptr<Notes> notes) : notes(std::move(notes)) {}
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Runs before the optimizer but after the passes that read all lines (coverage, sample profiles). Without -g,
 * clang keeps lines for the sites alone, and these slow down each pass that moves or copies code. Removes all
 * lines but those of calls. */
struct ThinLinesPass : RequiredPass<ThinLinesPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Second stage, after the optimizer: each remaining allocator call passes its site to the runtime. */
struct RewritePass : RequiredPass<RewritePass> {
    std::shared_ptr<Notes> notes;

    explicit RewritePass(std::shared_ptr<Notes> notes) : notes(std::move(notes)) {}
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Then, with -allocsite-contexts: functions keep their calling contexts (contexts.cpp). */
struct ContextPass : RequiredPass<ContextPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/* Last: removes the remaining lines that only the sites needed. */
struct DropLinesPass : RequiredPass<DropLinesPass> {
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace allocsite

#endif
