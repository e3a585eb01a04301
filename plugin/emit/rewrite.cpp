/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit/passes.h"

#include "base/compat.h"
#include "base/names.h"
#include "find/find.h"
#include "find/lists.h"
#include "lift/lift.h"
#include "site/site.h"
#include "wrap/wrappers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <optional>

using namespace llvm;

namespace allocsite {

/* Those of the allocator's attributes that hold for its entry of that type, too. What no longer has its place
 * or its type among the parameters has none. */
static AttributeList attributesOfEntry(const AllocatorCall &found, const FunctionType *type) {
    LLVMContext &context = type->getContext();
    const FunctionType *known = found.callee->getFunctionType();
    AttributeList attributes = found.callee->getAttributes();
    bool isAsDeclared = found.call->getFunctionType() == known;
    site_position position = isAsDeclared ? found.what->position : SITE_FIRST;
    SmallVector<AttributeSet, 6> ofParameters;
    for (unsigned i = 0; i < known->getNumParams() && position == SITE_LAST; i++)
        ofParameters.push_back(known->getParamType(i) == type->getParamType(i) ? attributes.getParamAttrs(i)
                                                                               : AttributeSet());
    return AttributeList::get(context, withoutSignature(context, attributes.getFnAttrs(), position),
                              isAsDeclared ? attributes.getRetAttrs() : AttributeSet(), ofParameters);
}

/* The runtime's counterpart of an allocator. It keeps the allocator's attributes, by which a later optimizer
 * (LTO) still knows that an unused block can go. */
static FunctionCallee entryPoint(Module &module, const AllocatorCall &found, FunctionType *type) {
    std::string name = std::string(ALLOCSITE_ENTRY_PREFIX) + found.what->symbol;
    bool isNew = !module.getNamedValue(name);
    FunctionCallee entry = module.getOrInsertFunction(name, type);
    auto *function = dyn_cast<Function>(entry.getCallee());
    if (isNew && function) {
        function->setCallingConv(found.callee->getCallingConv());
        function->setAttributes(attributesOfEntry(found, type));
        function->addFnAttr(Attribute::NonLazyBind); /* a jump less on each call */
    }
    return entry;
}

static void replace(const AllocatorCall &found, Value *site) {
    CallBase &call = *found.call;
    Arguments arguments = withSite(call, site, found.what->position);
    extendNumbers(call, *found.what, arguments);
    auto *type = FunctionType::get(call.getType(), arguments.types, found.what->position == SITE_FIRST);
    FunctionCallee entry = entryPoint(*call.getModule(), found, type);
    callInstead(call, FunctionCallee(type, entry.getCallee()), arguments, found.what->position);
}

/* A musttail call has to keep its prototype: the site goes ahead of it. */
static void handOver(CallBase &call, Value *site) {
    auto *type = FunctionType::get(Type::getVoidTy(call.getContext()), site->getType(), false);
    FunctionCallee entry = call.getModule()->getOrInsertFunction(ALLOCSITE_ENTRY_PREFIX "handover", type);
    IRBuilder<> builder(&call);
    builder.CreateCall(entry, site);
}

/* The distinct sites of a function. */
struct SiteSet {
    SmallVector<Site, 8> sites;
    DenseMap<uint64_t, SmallVector<unsigned, 1>> byHash;

    /* A function of the standard library that gives a block back as well is a site that allocates. */
    unsigned joined(unsigned index, const Site &site) {
        std::string &type = sites[index].type;
        if (site.possible.empty())
            sites[index].possible.clear();
        if (site.holder != sites[index].holder)
            sites[index].holder.clear();
        if (site.kind == ALLOCSITE_FREE && sites[index].kind != ALLOCSITE_FREE)
            return index;
        if (sites[index].kind == ALLOCSITE_FREE && site.kind != ALLOCSITE_FREE)
            type = site.type, sites[index].kind = site.kind;
        else
            type = eitherType(type, site.type);
        return index;
    }

    unsigned indexOf(Site site) {
        SmallVector<unsigned, 1> &candidates = byHash[stableHash(site)];
        for (unsigned index : candidates)
            if (sites[index] == site)
                return joined(index, site);
        candidates.push_back(sites.size());
        sites.push_back(std::move(site));
        return candidates.back();
    }
};

struct Tally {
    unsigned sites = 0;
    unsigned withLine = 0;
};

static void pass(const AllocatorCall &found, Value *site, Lifting &lifting) {
    if (!found.what)
        leaveSite(found, site, lifting);
    else if (found.call->isMustTailCall())
        handOver(*found.call, site);
    else
        replace(found, site);
}

/* A call with the site that it is to pass. */
struct Passing {
    AllocatorCall call;
    std::optional<unsigned> own; // nothing: the one that was left, or none
    bool isHandedOn;             // the site that was left goes first
};

/* From one function of a library to the next the site that was left goes as it is, null as well: the
 * allocator's call has one for callers that leave none. Not so to those who take a site as a parameter, which
 * is never null. */
static bool isCallersAlone(const AllocatorCall &call, const Site &site) {
    return site.isOnlyLibrary && !call.what && !takesSite(call) &&
           (library_has(symbolOf(*call.call->getFunction()).str().c_str()) ||
            (call.callee && isLibraryCall(call)));
}

static SmallVector<Passing, 8> sitesOfCalls(Function &function, bool isWrapper, const Wrappers &wrappers,
                                            Notes &notes, SiteSet &set) {
    SmallVector<Passing, 8> all;
    for (const AllocatorCall &call : findAllocatorCalls(function)) {
        if (!mayReach(call))
            continue;
        Site site = siteOf(call, wrappers, notes);
        bool isHandedOn = isWrapper && site.isHandedOn;
        if (isWrapper && isCallersAlone(call, site))
            all.push_back({call, std::nullopt, true});
        else
            all.push_back({call, set.indexOf(std::move(site)), isHandedOn});
    }
    return all;
}

static void passAll(Function &function, ArrayRef<Passing> all, ArrayRef<Constant *> descriptors,
                    Lifting &lifting) {
    SmallVector<AllocatorCall, 8> calls;
    for (const auto &[call, own, isHandedOn] : all) {
        letMerge(*call.call);
        Constant *site =
            own ? ConstantExpr::getPointerCast(descriptors[*own], pointerType(function.getContext()))
                : nullptr;
        Value *passed = !site        ? lifting.takes[&function].left
                        : isHandedOn ? chooseSite(*call.call, lifting.takes[&function], site)
                                     : site;
        if (callSharedBody(call, passed, lifting) || (site && callTwin(call, passed, lifting)))
            continue;
        pass(call, site ? siteIfWrapper(call, passed) : passed, lifting);
        calls.push_back(call);
    }
    clearWhenUnwound(function, calls);
}

static void rewrite(Function &function, const Wrappers &wrappers, Notes &notes, Table &table,
                    Lifting &lifting, Tally &tally) {
    bool isWrapper = Wrappers::of(function).has_value();
    if (isWrapper)
        lifting.takes[&function] = takeSite(function);
    SiteSet set;
    SmallVector<Passing, 8> all = sitesOfCalls(function, isWrapper, wrappers, notes, set);
    if (all.empty())
        return;
    SmallVector<Constant *, 8> descriptors;
    if (!set.sites.empty())
        descriptors = table.add(lifting.codeOf(function), set.sites);
    bool isLeaving = any_of(all, [](const Passing &passing) { return !passing.call.what; });
    if (isLeaving && !isWrapper && isCalledBack(function))
        setSiteAside(function);
    passAll(function, all, descriptors, lifting);
    tally.sites += set.sites.size();
    for (const Site &site : set.sites)
        tally.withLine += site.at.line != 0;
}

static bool usesAllocator(const Module &module) {
    return any_of(module, [](const Function &function) {
        return function.isDeclaration() && !function.use_empty() && isAllocator(function);
    });
}

/* Nothing in the module calls the runtime, but it gives a library an allocator to call, as obstacks need one.
 * A pointer to one of the runtime's entries, of which a program has one, tells the runtime whose code this
 * is. */
static void refer(Module &module) {
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
    Lifting lifting;
    Wrappers wrappers(module);
    declareSharedBodies(module, lifting);
    for (Function &function : module)
        if (isInstrumented(function))
            rewrite(function, wrappers, *notes, table, lifting, tally);
    passDirectly(lifting);
    addTwins(module, lifting);
    addStandIns(lifting);
    fallBackOnCallers(module);
    clearOnce(module);
    if (isLTOPreLink(module))
        alignPersonalities(module);
    table.join(lifting.kept);
    table.addWrappers(wrappers);
    table.addTypesWithin();
    table.addFunctions(notes->functions);
    Wrappers::erase(module);
    eraseTypesWithin(module);
    if (tally.sites == 0 && usesAllocator(module))
        refer(module);
    if (tally.sites == 0)
        return PreservedAnalyses::none();
    if (tally.withLine == 0)
        tell(module.getContext(), DS_Warning,
             "no line is known for any site of " + module.getSourceFileName() +
                 "; compile with -g or -Rpass=^$");
    return PreservedAnalyses::none();
}

} // namespace allocsite
