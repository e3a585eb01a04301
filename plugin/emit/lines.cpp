/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit/passes.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

using namespace llvm;

namespace allocsite {

static bool emitsNone(const Module &module) {
    return all_of(module.debug_compile_units(), [](const DICompileUnit *unit) {
        return unit->getEmissionKind() == DICompileUnit::NoDebug && !unit->getDebugInfoForProfiling();
    });
}

/* The code generator's remarks give lines, and its probes for profiles the functions that were inlined. */
static bool areWanted(const Module &module) {
    LLVMContext &context = module.getContext();
    return context.getDiagHandlerPtr()->isAnyRemarkEnabled() || context.getMainRemarkStreamer() ||
           module.getNamedMetadata("llvm.pseudo_probe_desc");
}

/* A site is a call, and what it was inlined through are calls. */
static bool mayTellSite(const Instruction &instruction) {
    return isa<CallBase>(instruction) && !instruction.isLifetimeStartOrEnd();
}

PreservedAnalyses ThinLinesPass::run(Module &module, ModuleAnalysisManager &) {
    if (emitsNone(module) && !areWanted(module))
        for (Function &function : module)
            for (Instruction &instruction : instructions(function))
                if (!mayTellSite(instruction))
                    instruction.setDebugLoc(DebugLoc());
    return PreservedAnalyses::all();
}

/* Without its description a function is not searched for variables, of which there are none, when its code is
 * made. */
PreservedAnalyses DropLinesPass::run(Module &module, ModuleAnalysisManager &) {
    if (emitsNone(module) && !areWanted(module))
        for (Function &function : module)
            function.setSubprogram(nullptr);
    return PreservedAnalyses::all();
}

} // namespace allocsite
