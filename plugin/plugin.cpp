/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Registration of the passes with clang and opt. */
#include "base/compat.h"
#include "base/host.h"
#include "emit/mark.h"
#include "emit/rewrite.h"
#include "find/lines.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace llvm;
using namespace allocsite;

static void registerPasses(PassBuilder &builder) {
    auto names = std::make_shared<Names>();
    builder.registerPipelineStartEPCallback(
        [names](ModulePassManager &passes, OptimizationLevel) { passes.addPass(MarkPass(names)); });
    atEarlySimplification(builder, [](ModulePassManager &passes) { passes.addPass(ThinLinesPass()); });
    atOptimizerLast(builder, [names](ModulePassManager &passes) {
        passes.addPass(RewritePass(names));
        passes.addPass(DropLinesPass());
    });
    builder.registerPipelineParsingCallback(
        [names](StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
            if (name == "allocsite-mark")
                passes.addPass(MarkPass(names));
            else if (name == "allocsite-rewrite")
                passes.addPass(RewritePass(names));
            else
                return false;
            return true;
        });
}

/* The first code that runs in the host. Nothing of LLVM may be called before its version is known: the
 * layouts of another major differ, and the first pass would crash. */
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
    unsigned host = host_llvm_major();
    if (host != 0 && host != LLVM_VERSION_MAJOR) {
        fprintf(stderr,
                "allocsite: this plugin is for LLVM %d, but LLVM %u has loaded it; "
                "take the one in lib/allocsite/llvm-%u\n",
                LLVM_VERSION_MAJOR, host, host);
        exit(1);
    }
    PassPluginLibraryInfo info = {};
    info.APIVersion = LLVM_PLUGIN_API_VERSION;
    info.PluginName = "allocsite";
    info.PluginVersion = ALLOCSITE_VERSION;
    info.RegisterPassBuilderCallbacks = registerPasses;
    return info;
}
