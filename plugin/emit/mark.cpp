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

/* Only `nomerge`, a note that it is ours, and metadata: they leave every optimisation of heap calls as it is,
 * and a call that LLVM makes itself simply has neither. Without `nomerge` SimplifyCFG makes one call, with no
 * line, of the two in `if (c) p = malloc(8); else p = malloc(16);`. */
static void mark(ArrayRef<AllocatorCall> calls) {
    std::map<std::tuple<const DISubprogram *, unsigned, unsigned, const allocator *>, unsigned> seen;
    for (const AllocatorCall &found : calls) {
        keepApart(*found.call);
        const DILocation *location = found.call->getDebugLoc().get();
        if (!location)
            continue;
        /* Not the scope: blocks in one macro share a place. */
        const DISubprogram *function = location->getScope()->getSubprogram();
        unsigned ordinal = seen[{function, location->getLine(), location->getColumn(), found.what}]++;
        if (ordinal > 0 && !tellsOfCustom(found.what)) /* all that a function hands out is one site */
            setOrdinal(*found.call, ordinal);
    }
}

/* Of two calls that become one LLVM drops the line, and a caller would have none. */
static void keepLinesOfCallers(Module &module, const Reaching &reaching) {
    for (Function &function : module)
        for (Instruction &instruction : instructions(function))
            if (auto *call = dyn_cast<CallBase>(&instruction); call && reaching.mayAllocate(*call))
                call->addFnAttr(Attribute::NoMerge);
}

static void warnOfMisdeclared(const Module &module) {
    auto found = find_if(module, isMisdeclared);
    if (found != module.end())
        tell(module.getContext(), DS_Warning,
             module.getSourceFileName() + " declares " + found->getName() +
                 " otherwise than C does: no call of it is a site");
}

static void refuse(const Module &module) {
    tell(module.getContext(), DS_Error,
         module.getSourceFileName() + " is for " + Triple(module.getTargetTriple()).str() +
             ", but there is no runtime other than for " + sys::getProcessTriple() +
             "; compile it without allocsite");
}

PreservedAnalyses MarkPass::run(Module &module, ModuleAnalysisManager &) {
    if (!hasRuntime(module)) {
        if (!isDevice(Triple(module.getTargetTriple())))
            refuse(module);
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
            mark(calls);
        notes->types.note(calls, notes->names);
    }
    Reaching reaching(module, true);
    notes->functions = findFunctionFlags(module, lists, reaching, notes->names);
    finishNoting(*notes);
    if (options().contexts) {
        noteQuiet(module, reaching);
        keepLinesOfCallers(module, reaching);
    }
    return PreservedAnalyses::all();
}

/* ---- Lines that are there for the sites alone. */

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
