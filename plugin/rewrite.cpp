/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rewrite.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compat.h"
#include "find.h"
#include "lift.h"
#include "site.h"
#include "table.h"

using namespace llvm;

namespace allocsite {

/* The arguments of a call with the site put in, with what goes along with them. */
struct Arguments {
    SmallVector<Type *, 6> types;
    SmallVector<Value *, 6> values;
    SmallVector<AttributeSet, 6> attributes;

    void add(Type *type, Value *value, AttributeSet set) {
        if (type)
            types.push_back(type);
        values.push_back(value);
        attributes.push_back(set);
    }
};

static Arguments withSite(CallBase &call, Value *site, site_position position) {
    Arguments arguments;
    Type *type = site->getType();
    if (position == SITE_FIRST)
        arguments.add(type, site, {});
    FunctionType *called = call.getFunctionType();
    for (unsigned i = 0; i < call.arg_size(); i++)
        arguments.add(i < called->getNumParams() ? called->getParamType(i) : nullptr, call.getArgOperand(i),
                      call.getAttributes().getParamAttrs(i));
    if (position == SITE_LAST)
        arguments.add(type, site, {});
    return arguments;
}

/* The runtime's counterpart of an allocator. It keeps the allocator's attributes, by which a later optimizer
 * (LTO) still knows that an unused block can go. Those of the parameters only hold at the same positions. */
static FunctionCallee entryPoint(Module &module, const AllocatorCall &found, FunctionType *type) {
    std::string name = std::string(ALLOCSITE_ENTRY_PREFIX) + found.what->symbol;
    bool isNew = !module.getNamedValue(name);
    FunctionCallee entry = module.getOrInsertFunction(name, type);
    auto *function = dyn_cast<Function>(entry.getCallee());
    if (isNew && function) {
        AttributeList attributes = found.callee->getAttributes();
        bool samePositions = found.what->position == SITE_LAST &&
                             found.call->getFunctionType() == found.callee->getFunctionType();
        function->setCallingConv(found.callee->getCallingConv());
        function->setAttributes(samePositions
                                    ? attributes
                                    : AttributeList::get(module.getContext(), attributes.getFnAttrs(),
                                                         attributes.getRetAttrs(), {}));
        function->addFnAttr(Attribute::NonLazyBind); /* a jump less on each call */
    }
    return entry;
}

static CallBase *create(IRBuilder<> &builder, CallBase &call, FunctionCallee entry,
                        ArrayRef<Value *> values) {
    SmallVector<OperandBundleDef, 1> bundles;
    call.getOperandBundlesAsDefs(bundles);
    if (auto *invoke = dyn_cast<InvokeInst>(&call))
        return builder.CreateInvoke(entry, invoke->getNormalDest(), invoke->getUnwindDest(), values, bundles);
    CallInst *created = builder.CreateCall(entry, values, bundles);
    created->setTailCallKind(cast<CallInst>(call).getTailCallKind());
    return created;
}

static void replace(const AllocatorCall &found, Value *site) {
    CallBase &call = *found.call;
    Arguments arguments = withSite(call, site, found.what->position);
    auto *type = FunctionType::get(call.getType(), arguments.types, found.what->position == SITE_FIRST);
    FunctionCallee entry = entryPoint(*call.getModule(), found, type);

    IRBuilder<> builder(&call);
    CallBase *created = create(builder, call, FunctionCallee(type, entry.getCallee()), arguments.values);
    AttributeList attributes = call.getAttributes();
    created->setCallingConv(call.getCallingConv());
    created->setAttributes(AttributeList::get(call.getContext(), attributes.getFnAttrs(),
                                              attributes.getRetAttrs(), arguments.attributes));
    created->copyMetadata(call);
    created->takeName(&call);
    call.replaceAllUsesWith(created);
    call.eraseFromParent();
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

    /* Two types of one site would be a guess. */
    unsigned joined(unsigned index, const Site &site) {
        std::string &type = sites[index].type;
        if (type.empty())
            type = site.type;
        else if (!site.type.empty() && site.type != type)
            type.clear();
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

static void pass(const AllocatorCall &found, Value *site) {
    if (!found.what)
        leaveSite(*found.call, site, takesSite(*found.callee));
    else if (found.call->isMustTailCall())
        handOver(*found.call, site);
    else
        replace(found, site);
}

static void rewrite(Function &function, const Wrappers &wrappers, Names &names, Table &table, Tally &tally) {
    Value *left = Wrappers::of(function) ? takeSite(function) : nullptr;
    SmallVector<AllocatorCall, 8> calls = findAllocatorCalls(function);
    if (calls.empty())
        return;
    SiteSet set;
    SmallVector<std::pair<unsigned, bool>, 8> uses; // the site, and whether the one that was left goes first
    for (const AllocatorCall &call : calls) {
        Site site = siteOf(call, wrappers, names);
        bool isHandedOn = left && site.isHandedOn;
        uses.push_back({set.indexOf(std::move(site)), isHandedOn});
    }
    SmallVector<Constant *, 8> descriptors = table.add(function, set.sites);
    for (unsigned i = 0; i < calls.size(); i++) {
        Constant *site =
            ConstantExpr::getPointerCast(descriptors[uses[i].first], pointerType(function.getContext()));
        pass(calls[i], uses[i].second ? chooseSite(*calls[i].call, left, site) : site);
    }
    clearWhenUnwound(function, calls);
    tally.sites += set.sites.size();
    for (const Site &site : set.sites)
        tally.withLine += site.at.line != 0;
}

class NoLines : public DiagnosticInfo {
    const Module &module;

  public:
    explicit NoLines(const Module &module)
        : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), DS_Warning), module(module) {}
    void print(DiagnosticPrinter &printer) const override {
        printer << "allocsite: no line is known for any site of " << module.getSourceFileName()
                << "; compile with -g or -Rpass=^$";
    }
};

PreservedAnalyses RewritePass::run(Module &module, ModuleAnalysisManager &) {
    Table table(module);
    Tally tally;
    Wrappers wrappers(module);
    for (Function &function : module)
        if (isInstrumented(function))
            rewrite(function, wrappers, *names, table, tally);
    table.addWrappers(wrappers);
    Wrappers::erase(module);
    if (tally.sites == 0)
        return PreservedAnalyses::none();
    if (tally.withLine == 0)
        module.getContext().diagnose(NoLines(module));
    return PreservedAnalyses::none();
}

} // namespace allocsite
