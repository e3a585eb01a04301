/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wrap/wrappers.h"

#include "base/library.h"
#include "find/find.h"
#include "wrap/library_search.h"
#include "wrap/wrapper_search.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

namespace allocsite {

static constexpr const char *WrapperAttribute = "allocsite-wrapper";
static constexpr const char *WrapperMetadata = "allocsite.wrappers";

static std::string encode(const Wrapper &wrapper) {
    std::string text;
    for (unsigned field :
         {unsigned(wrapper.kind), unsigned(wrapper.origin), unsigned(wrapper.size), unsigned(wrapper.count),
          unsigned(wrapper.align), unsigned(wrapper.pointer), unsigned(wrapper.isLibrary)})
        text += std::to_string(field) + ",";
    return text;
}

static Wrapper decode(StringRef text) {
    unsigned fields[7] = {};
    for (unsigned &field : fields) {
        text.consumeInteger(10, field);
        text.consume_front(",");
    }
    Wrapper wrapper;
    wrapper.kind = allocsite_kind(fields[0]);
    wrapper.origin = allocsite_origin(fields[1]);
    wrapper.size = fields[2], wrapper.count = fields[3];
    wrapper.align = fields[4], wrapper.pointer = fields[5];
    wrapper.isLibrary = fields[6];
    return wrapper;
}

static ParameterSet parameter(unsigned number) {
    return number && number <= 64 ? ParameterSet(1) << (number - 1) : 0;
}

/* An attribute of a definition says no more than its body, which is looked at. */
static bool hasAttribute(const Function &function, Wrapper &wrapper) {
    bool isSized = function.hasFnAttribute(Attribute::AllocSize);
    bool isFresh = function.getAttributes().hasRetAttr(Attribute::NoAlias);
    if (!function.isDeclaration() || function.isIntrinsic() || isAllocator(function) ||
        !function.getReturnType()->isPointerTy() || (!isSized && !isFresh))
        return false;
    wrapper.origin = ALLOCSITE_BY_ATTRIBUTE;
    if (isSized) {
        auto sizes = function.getFnAttribute(Attribute::AllocSize).getAllocSizeArgs();
        wrapper.size = (sizes.second ? *sizes.second : sizes.first) + 1;
        wrapper.count = sizes.second ? sizes.first + 1 : 0;
    }
    return true;
}

static bool isCustomCall(const CallBase &call) {
    const allocator *what = allocatorCalled(call);
    return what && !*what->callee;
}

static FoundWrapper listedWrapper(Function &function, const Listing &listing) {
    FoundWrapper result;
    result.wrapper = listing.wrapper;
    result.handsOnAll = !listing.isCustom;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (call && (listing.isCustom ? isCustomCall(*call) : mayBeHook(*call)))
            result.handedOn.insert(call);
    }
    return result;
}

static void takeDeclared(Module &module, ListLookup listed, FoundWrappers &found,
                         SmallPtrSetImpl<const Function *> &ignored) {
    for (Function &function : module) {
        FoundWrapper result;
        if (std::optional<Listing> listing = listed(function)) {
            if (listing->isIgnored)
                ignored.insert(&function);
            else
                found.insert({&function, listedWrapper(function, *listing)});
        } else if (hasAttribute(function, result.wrapper)) {
            found.insert({&function, result});
        }
    }
    for (auto &entry : found) {
        const Wrapper &wrapper = entry.second.wrapper;
        ParameterSet sizes = parameter(wrapper.size) | parameter(wrapper.count);
        entry.second.sizes = sizes ? sizes : ~ParameterSet(0);
    }
}

/* The calls in a wrapper that are not handed on, unless one that is stands at the same place. */
static void addOwnCalls(Function &function, const FoundWrapper &wrapper, const FoundWrappers &found,
                        SmallVectorImpl<Metadata *> &locations) {
    std::set<std::pair<unsigned, unsigned>> handedOn;
    for (const CallBase *call : wrapper.handedOn)
        if (const DILocation *location = call->getDebugLoc().get())
            handedOn.insert({location->getLine(), location->getColumn()});
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        DILocation *location = call ? call->getDebugLoc().get() : nullptr;
        if (!location || wrapper.handedOn.count(call) ||
            handedOn.count({location->getLine(), location->getColumn()}))
            continue;
        if (allocatorCalled(*call) || found.count(surelyCalled(*call)))
            locations.push_back(location);
    }
}

static void write(Module &module, Function &function, const FoundWrapper &wrapper,
                  const FoundWrappers &found) {
    LLVMContext &context = module.getContext();
    std::string text = encode(wrapper.wrapper);
    function.addFnAttr(WrapperAttribute, text);
    if (wrapper.wrapper.isLibrary)
        return; // known by its name, wherever it is inlined
    StringRef symbol = function.getName();
    symbol.consume_front("\1");
    for (CallBase *call : wrapper.handedOn)
        if (mayBeHook(*call))
            markHook(*call);
    bool isCustom = wrapper.wrapper.origin == ALLOCSITE_BY_LIST && !wrapper.handsOnAll;
    bool isNamed = !isCustom && !library_has(symbol.str().c_str());
    SmallVector<Metadata *, 8> operands = {function.getSubprogram(), MDString::get(context, text),
                                           isNamed ? MDString::get(context, symbol) : nullptr};
    if (!wrapper.handsOnAll)
        addOwnCalls(function, wrapper, found, operands);
    module.getOrInsertNamedMetadata(WrapperMetadata)->addOperand(MDNode::get(context, operands));
}

void findWrappers(Module &module, ListLookup listed) {
    Flow flow;
    FoundWrappers found;
    SmallPtrSet<const Function *, 8> ignored;
    takeDeclared(module, listed, found, ignored);
    searchAllocations(module, flow, ignored, found);
    searchFrees(module, flow, ignored, found);
    for (auto &entry : found)
        if (entry.second.wrapper.kind == ALLOCSITE_REALLOC)
            handOnFrees(*entry.first, flow, found, entry.second);
    searchLibrary(module, ignored, found);
    for (auto &entry : found)
        write(module, *entry.first, entry.second, found);
}

bool takesSite(const Function &wrapper) {
    return wrapper.isStrongDefinitionForLinker() && (wrapper.hasLocalLinkage() || wrapper.isDSOLocal());
}

Wrappers::Key Wrappers::keyOf(const DISubprogram &subprogram) {
    return {subprogram.getFile(), subprogram.getLine(), subprogram.getName(), subprogram.getLinkageName()};
}

Wrappers::Wrappers(const Module &module) {
    const NamedMDNode *nodes = module.getNamedMetadata(WrapperMetadata);
    for (unsigned n = 0; nodes && n < nodes->getNumOperands(); n++) {
        const MDNode *node = nodes->getOperand(n);
        auto *subprogram = dyn_cast_or_null<DISubprogram>(node->getOperand(0));
        Wrapper wrapper = decode(cast<MDString>(node->getOperand(1))->getString());
        if (auto *symbol = dyn_cast_or_null<MDString>(node->getOperand(2)))
            all.push_back({symbol->getString().str(), wrapper});
        if (!subprogram)
            continue;
        Key key = keyOf(*subprogram);
        known[key] = wrapper;
        for (unsigned i = 3; i < node->getNumOperands(); i++)
            if (auto *location = dyn_cast_or_null<DILocation>(node->getOperand(i)))
                own.insert({key, location->getLine(), location->getColumn()});
    }
}

std::optional<Wrapper> Wrappers::of(const Function &function) {
    if (!function.hasFnAttribute(WrapperAttribute))
        return std::nullopt;
    return decode(function.getFnAttribute(WrapperAttribute).getValueAsString());
}

const Wrapper *Wrappers::handingOn(const DILocation &location) const {
    Key key = keyOf(*location.getScope()->getSubprogram());
    auto found = known.find(key);
    if (found == known.end() || own.count({key, location.getLine(), location.getColumn()}))
        return nullptr;
    return &found->second;
}

void Wrappers::erase(Module &module) {
    for (Function &function : module)
        function.removeFnAttr(WrapperAttribute);
    if (NamedMDNode *all = module.getNamedMetadata(WrapperMetadata))
        module.eraseNamedMetadata(all);
}

} // namespace allocsite
