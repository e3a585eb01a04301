/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Second stage, after the optimizer: every allocator call that is left passes its site to the runtime. */
#ifndef ALLOCSITE_EMIT_REWRITE_H
#define ALLOCSITE_EMIT_REWRITE_H

#include "site/names.h"

#include <llvm/IR/PassManager.h>
#include <memory>

namespace allocsite {

struct RewritePass : llvm::PassInfoMixin<RewritePass> {
    std::shared_ptr<Names> names;

    explicit RewritePass(std::shared_ptr<Names> names) : names(std::move(names)) {}
    llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
    static bool isRequired() {
        return true;
    }
};

} // namespace allocsite

#endif
