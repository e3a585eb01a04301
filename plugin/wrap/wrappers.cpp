/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wrap/wrappers.h"

#include "base/names.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace allocsite {

static constexpr const char *WrapperAttribute = "allocsite-wrapper";
static constexpr const char *WrapperMetadata = "allocsite.wrappers";

static std::string encode(const Wrapper &wrapper) {
    std::string text;
    for (unsigned field :
         {unsigned(wrapper.kind), unsigned(wrapper.origin), unsigned(wrapper.size), unsigned(wrapper.count),
          unsigned(wrapper.align), unsigned(wrapper.pointer), unsigned(wrapper.isLibrary),
          unsigned(wrapper.isPossible), unsigned(wrapper.isInside), unsigned(wrapper.keepsLine),
          unsigned(wrapper.isOffset), unsigned(wrapper.isHeld)})
        text += std::to_string(field) + ",";
    return text;
}

static Wrapper decode(StringRef text) {
    unsigned fields[12] = {}, *field = fields;
    for (char letter : text)
        if (letter == ',')
            field++;
        else if (field < std::end(fields))
            *field = *field * 10 + (letter - '0');
    Wrapper wrapper;
    wrapper.kind = allocsite_kind(fields[0]);
    wrapper.origin = allocsite_origin(fields[1]);
    wrapper.size = fields[2], wrapper.count = fields[3];
    wrapper.align = fields[4], wrapper.pointer = fields[5];
    wrapper.isLibrary = fields[6], wrapper.isPossible = fields[7];
    wrapper.isInside = fields[8], wrapper.keepsLine = fields[9];
    wrapper.isOffset = fields[10], wrapper.isHeld = fields[11];
    return wrapper;
}

void Wrappers::write(Function &function, const Wrapper &wrapper, bool isNamed, ArrayRef<DILocation *> own) {
    function.addFnAttr(WrapperAttribute, encode(wrapper));
    if (!wrapper.isLibrary)
        writeWhereInlined(function, wrapper, isNamed, own);
}

void Wrappers::writeWhereInlined(Function &function, const Wrapper &wrapper, bool isNamed,
                                 ArrayRef<DILocation *> own) {
    LLVMContext &context = function.getContext();
    std::string text = encode(wrapper);
    SmallVector<Metadata *, 8> operands = {function.getSubprogram(), MDString::get(context, text),
                                           isNamed ? MDString::get(context, symbolOf(function)) : nullptr};
    operands.append(own.begin(), own.end());
    function.getParent()
        ->getOrInsertNamedMetadata(WrapperMetadata)
        ->addOperand(MDNode::get(context, operands));
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
    Attribute attribute = function.getFnAttribute(WrapperAttribute);
    return attribute.isValid() ? std::optional(decode(attribute.getValueAsString())) : std::nullopt;
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

bool isLibraryCall(const AllocatorCall &found) {
    if (!found.callee)
        return isOfLibraryByPointer(*found.call);
    return !found.what && Wrappers::of(*found.callee)->isLibrary;
}

bool allocatesInside(const AllocatorCall &found) {
    return found.callee && !found.what && Wrappers::of(*found.callee)->isInside;
}

bool isHeld(const AllocatorCall &found) {
    return found.callee && !found.what && Wrappers::of(*found.callee)->isHeld;
}

bool isCalledBack(const Value &name) {
    return any_of(name.uses(), [](const Use &use) {
        auto *call = dyn_cast<CallBase>(use.getUser());
        const Function *callee = call && !call->isCallee(&use) ? call->getCalledFunction() : nullptr;
        std::optional<Wrapper> wrapper = callee ? Wrappers::of(*callee) : std::nullopt;
        return (wrapper && wrapper->isInside) ||
               (isa<ConstantExpr>(use.getUser()) && isCalledBack(*use.getUser()));
    });
}

allocsite_kind kindOf(const AllocatorCall &found) {
    if (!found.callee)
        return freesByPointer(*found.call) ? ALLOCSITE_FREE : ALLOCSITE_ALLOC;
    return found.what ? found.what->kind : Wrappers::of(*found.callee)->kind;
}

/* Nothing can follow a musttail call, so one that may not take its site would leave it to others. */
static bool isLifted(const Function &callee, const CallBase &call) {
    return Wrappers::of(callee) && !isDisproved(call) && (takesSite(callee) || !call.isMustTailCall()) &&
           !isOfStandardStream(call);
}

/* A call in a source that a list ignores. Calls that tell the runtime of a custom allocator have to stay. */
static bool isIgnored(const CallBase &call, const allocator *what) {
    const DILocation *location = call.getDebugLoc().get();
    return location && !tellsOfCustom(what) && isIgnoredSource(location->getFile());
}

static bool isFound(const CallBase &call, const Function *callee, const allocator *what) {
    if (what)
        return what->always_allocates || !call.isMustTailCall();
    return callee ? isLifted(*callee, call) : allocatesByPointer(call) && !call.isMustTailCall();
}

SmallVector<AllocatorCall, 8> findAllocatorCalls(Function &function) {
    SmallVector<AllocatorCall, 8> found;
    for (Instruction &instruction : instructions(function)) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || (!isa<CallInst>(call) && !isa<InvokeInst>(call)))
            continue;
        Function *callee = surelyCalled(*call);
        const allocator *what = callee ? allocatorThatIs(*callee, call->getFunctionType()) : nullptr;
        if (isFound(*call, callee, what) && !isIgnored(*call, what))
            found.push_back({call, callee, what});
    }
    return found;
}

} // namespace allocsite
