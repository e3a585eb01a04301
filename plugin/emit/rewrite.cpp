/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit/entry_call.h"
#include "emit/passes.h"

#include "base/compat.h"
#include "base/names.h"
#include "find/find.h"
#include "find/lists.h"
#include "site/site.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <optional>

using namespace llvm;

namespace allocsite {

/* Returns the allocator's attributes that also hold for its entry point. If the call has another prototype
 * than the declaration, attributes that refer to the result or to parameters are left out. */
static AttributeList attributesOfEntry(const AllocatorCall &found, const FunctionType *type) {
    LLVMContext &context = type->getContext();
    const FunctionType *known = found.callee->getFunctionType();
    AttributeList attributes = found.callee->getAttributes();
    bool isAsDeclared = found.call->getFunctionType() == known;
    AttributeSet ofFunction = withoutSignature(context, attributes.getFnAttrs());
    if (!isAsDeclared)
        ofFunction = ofFunction.removeAttribute(context, Attribute::AllocSize);
    SmallVector<AttributeSet, 6> ofParameters;
    for (unsigned i = 0; i < known->getNumParams() && isAsDeclared; i++)
        ofParameters.push_back(known->getParamType(i) == type->getParamType(i) ? attributes.getParamAttrs(i)
                                                                               : AttributeSet());
    return AttributeList::get(context, ofFunction, isAsDeclared ? attributes.getRetAttrs() : AttributeSet(),
                              ofParameters);
}

/* Declares the runtime's counterpart of an allocator with the allocator's attributes, so that a later
 * optimizer (LTO) can still remove unused blocks. */
static FunctionCallee entryPoint(Module &module, const AllocatorCall &found, FunctionType *type) {
    std::string name = std::string(ALLOCSITE_ENTRY_PREFIX) + found.row->symbol;
    bool isNew = !module.getNamedValue(name);
    FunctionCallee entry = module.getOrInsertFunction(name, type);
    auto *function = dyn_cast<Function>(entry.getCallee());
    if (isNew && function) {
        function->setCallingConv(found.callee->getCallingConv());
        function->setAttributes(attributesOfEntry(found, type));
        function->addFnAttr(Attribute::NonLazyBind); /* saves a jump through the PLT on each call */
    }
    return entry;
}

static void replaceCall(const AllocatorCall &found, Value *site) {
    CallBase &call = *found.call;
    Arguments arguments = withSite(call, site);
    extendNumbers(call, *found.row, arguments);
    auto *type = FunctionType::get(call.getType(), arguments.types, false);
    FunctionCallee entry = entryPoint(*call.getModule(), found, type);
    replaceWithCall(call, FunctionCallee(type, entry.getCallee()), arguments);
}

/* The distinct sites of a function. */
struct SiteSet {
    SmallVector<Site, 8> sites;
    DenseMap<uint64_t, SmallVector<unsigned, 1>> byHash;

    unsigned merged(unsigned index, const Site &site) {
        sites[index].type = eitherType(sites[index].type, site.type);
        return index;
    }

    unsigned indexOf(Site site) {
        SmallVector<unsigned, 1> &candidates = byHash[stableHash(site)];
        for (unsigned index : candidates)
            if (sites[index] == site)
                return merged(index, site);
        candidates.push_back(sites.size());
        sites.push_back(std::move(site));
        return candidates.back();
    }
};

struct Tally {
    unsigned sites = 0;
    unsigned withLine = 0;
};

static void rewriteFunction(Function &function, Notes &notes, Table &table, Tally &tally) {
    SmallVector<AllocatorCall, 8> calls = findAllocatorCalls(function);
    if (calls.empty())
        return;
    SiteSet set;
    SmallVector<unsigned, 8> indices;
    for (const AllocatorCall &call : calls)
        indices.push_back(set.indexOf(siteOf(call, notes)));
    SmallVector<Constant *, 8> descriptors = table.add(function, set.sites);
    PointerType *pointer = pointerType(function.getContext());
    for (size_t i = 0; i < calls.size(); i++) {
        allowMerging(*calls[i].call);
        replaceCall(calls[i], ConstantExpr::getPointerCast(descriptors[indices[i]], pointer));
    }
    tally.sites += set.sites.size();
    for (const Site &site : set.sites)
        tally.withLine += site.at.line != 0;
}

static bool usesAllocator(const Module &module) {
    return any_of(module, [](const Function &function) {
        return function.isDeclaration() && !function.use_empty() && isAllocator(function);
    });
}

/* Refers to the runtime from a module without sites that still passes an allocator to a library, as obstacks
 * do. This pointer to one of the runtime's entry points shows the runtime that the module was compiled with
 * the plugin. */
static void referToRuntime(Module &module) {
    auto *type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
    auto *entry = cast<Function>(
        module.getOrInsertFunction(ALLOCSITE_ENTRY_PREFIX "malloc", type).getCallee()->stripPointerCasts());
    entry->setLinkage(GlobalValue::ExternalWeakLinkage);
    auto *pointer = new GlobalVariable(module, entry->getType(), true, GlobalValue::LinkOnceODRLinkage, entry,
                                       "__allocsite_compiled");
    pointer->setVisibility(GlobalValue::HiddenVisibility);
    pointer->setComdat(module.getOrInsertComdat(pointer->getName()));
    appendToUsed(module, {pointer});
}

PreservedAnalyses RewritePass::run(Module &module, ModuleAnalysisManager &) {
    if (!hasRuntime(module))
        return PreservedAnalyses::all();
    Table table(module, notes->isOneSection);
    Tally tally;
    for (Function &function : module)
        if (isInstrumented(function))
            rewriteFunction(function, *notes, table, tally);
    table.join();
    table.addFunctions(notes->functions);
    table.addCalls(notes->calls);
    if (tally.sites == 0 && usesAllocator(module))
        referToRuntime(module);
    if (tally.sites == 0)
        return PreservedAnalyses::none();
    if (tally.withLine == 0)
        reportDiagnostic(module.getContext(), DS_Warning,
                         "no line is known for any site of " + module.getSourceFileName() +
                             "; compile with -g or -Rpass=^$");
    return PreservedAnalyses::none();
}

} // namespace allocsite
