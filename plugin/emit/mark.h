/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* First stage, before the optimizer: keep allocator calls apart and remember what inlining will forget. */
#ifndef ALLOCSITE_EMIT_MARK_H
#define ALLOCSITE_EMIT_MARK_H

#include "site/names.h"

#include <llvm/IR/PassManager.h>
#include <memory>

namespace allocsite {

struct MarkPass : llvm::PassInfoMixin<MarkPass> {
    std::shared_ptr<Names> names;

    explicit MarkPass(std::shared_ptr<Names> names) : names(std::move(names)) {}
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

} // namespace allocsite

#endif
