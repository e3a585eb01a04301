/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registers the passes with clang and opt. */
#include "base/compat.h"
#include "base/host.h"
#include "emit/passes.h"

#include <memory>

using namespace llvm;
using namespace allocsite;

static void registerPasses(PassBuilder &builder) {
    auto notes = std::make_shared<Notes>();
    builder.registerPipelineStartEPCallback(
        [notes](ModulePassManager &passes, OptimizationLevel) { passes.addPass(MarkPass(notes)); });
    atEarlySimplification(builder, [](ModulePassManager &passes) { passes.addPass(ThinLinesPass()); });
    atOptimizerLast(builder, [notes](ModulePassManager &passes) {
        passes.addPass(RewritePass(notes));
        passes.addPass(ContextPass());
        passes.addPass(DropLinesPass());
    });
    builder.registerPipelineParsingCallback(
        [notes](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
            if (name == "allocsite-mark")
                passes.addPass(MarkPass(notes));
            else if (name == "allocsite-rewrite")
                passes.addPass(RewritePass(notes));
            else
                return false;
            return true;
        });
}

/* The first code that runs in the host. It must not call LLVM before it has checked the version. */
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
    host_require(LLVM_VERSION_MAJOR, "LLVM");
    PassPluginLibraryInfo info = {};
    info.APIVersion = LLVM_PLUGIN_API_VERSION;
    info.PluginName = "allocsite";
    info.PluginVersion = ALLOCSITE_VERSION;
    info.RegisterPassBuilderCallbacks = registerPasses;
    return info;
}
