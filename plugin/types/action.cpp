/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registration with clang: an action beside the main one, which keeps the AST until the pass has asked. */
#include "base/host.h"
#include "types/answer.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclGroup.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <cstdio>
#include <cstdlib>
#include <llvm/Config/llvm-config.h>
#include <memory>

using namespace clang;
using namespace allocsite;

namespace {

class Consumer : public ASTConsumer {
    std::vector<const Decl *> deserialized;
    bool clearsAST;

  public:
    explicit Consumer(bool clearsAST) : clearsAST(clearsAST) {}

    /* Functions of a precompiled header come here as they are used. */
    void HandleInterestingDecl(DeclGroupRef declarations) override {
        deserialized.insert(deserialized.end(), declarations.begin(), declarations.end());
    }

    /* The main action, whose turn it is next, makes the code and optimizes it. A module that is built on the
     * way has a consumer of its own, and was done earlier. */
    void HandleTranslationUnit(ASTContext &context) override {
        beginSource(context, std::move(deserialized), clearsAST);
    }
};

/* -Rpass=^$, which keeps the lines, names no pass. Yet as long as clang has a pattern LLVM writes out every
 * remark before it drops it. */
void dropEmptyPattern(CodeGenOptions &options) {
    if (options.OptimizationRemark.Pattern == "^$")
        options.OptimizationRemark = {};
}

class Action : public PluginASTAction {
  protected:
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, llvm::StringRef) override {
        CodeGenOptions &options = compiler.getCodeGenOpts();
        bool clearsAST = options.ClearASTBeforeBackend;
        options.ClearASTBeforeBackend = false;
        dropEmptyPattern(options);
        return std::make_unique<Consumer>(clearsAST);
    }
    bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override {
        return true;
    }
    ActionType getActionType() override {
        return AddBeforeMainAction;
    }
};

} // namespace

/* Runs ahead of the registration below, which is already in the layout of this major. */
__attribute__((constructor(101))) static void refuseOtherHosts() {
    unsigned host = host_llvm_major();
    if (host == 0 || host == LLVM_VERSION_MAJOR)
        return;
    fprintf(stderr,
            "allocsite: this plugin is for clang %d, but clang %u has loaded it; "
            "take the one in lib/allocsite/llvm-%u\n",
            LLVM_VERSION_MAJOR, host, host);
    exit(1);
}

static FrontendPluginRegistry::Add<Action> registration("allocsite-types", "types of allocations");
