/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit/passes.h"

#include "base/compat.h"
#include "base/settings.h"
#include "find/find.h"
#include "find/lists.h"
#include "pass/pass.h"
#include "site/type_table.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <map>
#include <tuple>

using namespace llvm;

namespace allocsite {

/* Adds only `nomerge`, our own attribute and metadata, so that all optimisations of heap calls happen as
 * without the plugin. Calls that LLVM creates have no marks, and need none. Without `nomerge`, SimplifyCFG
 * merges the two calls in `if (c) p = malloc(8); else p = malloc(16);` into one without a line. */
static void markCalls(ArrayRef<AllocatorCall> calls) {
    std::map<std::tuple<const DISubprogram *, unsigned, unsigned, const allocator *>, unsigned> ordinals;
    for (const AllocatorCall &found : calls) {
        preventMerging(*found.call);
        const DILocation *location = found.call->getDebugLoc().get();
        if (!location)
            continue;
        /* The subprogram, not the scope: blocks in one macro share a source location. */
        const DISubprogram *function = location->getScope()->getSubprogram();
        unsigned ordinal = ordinals[{function, location->getLine(), location->getColumn(), found.row}]++;
        /* All blocks of a custom allocator belong to one site. */
        if (ordinal > 0 && !reportsCustomBlock(found.row))
            setOrdinal(*found.call, ordinal);
    }
}

/* Keeps the lines of calls that may allocate. When LLVM merges two calls it drops the line, and the call path
 * would lack the caller's line. */
static void keepLinesOfCallers(Module &module, const Reaching &reaching) {
    for (Function &function : module)
        for (Instruction &instruction : instructions(function))
            if (auto *call = dyn_cast<CallBase>(&instruction); call && reaching.mayAllocate(*call))
                call->addFnAttr(Attribute::NoMerge);
}

static void warnOfMisdeclared(const Module &module) {
    auto found = find_if(module, isMisdeclared);
    if (found != module.end())
        reportDiagnostic(module.getContext(), DS_Warning,
                         module.getSourceFileName() + " declares " + found->getName() +
                             " with another prototype than C: its calls get no sites");
}

static void refuseTarget(const Module &module) {
    reportDiagnostic(module.getContext(), DS_Error,
                     module.getSourceFileName() + " is for " + Triple(module.getTargetTriple()).str() +
                         ", but the runtime exists only for " + sys::getProcessTriple() +
                         "; compile it without allocsite");
}

PreservedAnalyses MarkPass::run(Module &module, ModuleAnalysisManager &) {
    if (!hasRuntime(module)) {
        if (!isDevice(Triple(module.getTargetTriple())))
            refuseTarget(module);
        return PreservedAnalyses::all();
    }
    Lists lists(module);
    instrumentCustom(module, lists);
    warnOfMisdeclared(module);
    for (const Function &function : module)
        if (!function.isDeclaration())
            notes->names.note(function);
    for (Function &function : module) {
        SmallVector<AllocatorCall, 8> calls = findAllocatorCalls(function);
        if (isInstrumented(function))
            markCalls(calls);
        notes->types.note(calls, notes->names);
    }
    Reaching reaching(module, true);
    HandedOut bodies;
    notes->functions = findFunctionFlags(module, lists, reaching, bodies, notes->names);
    if (options().types)
        notes->calls = findCallTypes(module, reaching, bodies, *notes);
    finishNoting(*notes);
    if (options().contexts) {
        noteQuiet(module, reaching);
        keepLinesOfCallers(module, reaching);
    }
    return PreservedAnalyses::all();
}

/* ---- Lines that only sites need. */

static bool emitsNoDebugInfo(const Module &module) {
    return all_of(module.debug_compile_units(), [](const DICompileUnit *unit) {
        return unit->getEmissionKind() == DICompileUnit::NoDebug && !unit->getDebugInfoForProfiling();
    });
}

/* Remarks of the code generator need lines, and pseudo probes for profiles need the chain of inlined
 * functions. */
static bool areLinesWanted(const Module &module) {
    LLVMContext &context = module.getContext();
    return context.getDiagHandlerPtr()->isAnyRemarkEnabled() || context.getMainRemarkStreamer() ||
           module.getNamedMetadata("llvm.pseudo_probe_desc");
}

/* The lines of a site come from its call and from the calls that it was inlined through. */
static bool mayLocateSite(const Instruction &instruction) {
    return isa<CallBase>(instruction) && !instruction.isLifetimeStartOrEnd();
}

PreservedAnalyses ThinLinesPass::run(Module &module, ModuleAnalysisManager &) {
    if (emitsNoDebugInfo(module) && !areLinesWanted(module))
        for (Function &function : module)
            for (Instruction &instruction : instructions(function))
                if (!mayLocateSite(instruction))
                    instruction.setDebugLoc(DebugLoc());
    return PreservedAnalyses::all();
}

/* A function without a DISubprogram has no variables to emit, so the code generator does not search for
 * them. */
PreservedAnalyses DropLinesPass::run(Module &module, ModuleAnalysisManager &) {
    if (emitsNoDebugInfo(module) && !areLinesWanted(module))
        for (Function &function : module)
            function.setSubprogram(nullptr);
    return PreservedAnalyses::all();
}

} // namespace allocsite
