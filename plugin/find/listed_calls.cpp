/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls of listed functions that are defined elsewhere. Their definition may not have been compiled with the
 * plugin, so the module calls a function of its own instead:
 *
 *     outer(...) { return marker ? function(...) : inner(...); }
 *     inner(...) { return function(...); }                  instrumented as the definition would be
 *
 * The marker is a weak symbol that an instrumented definition also defines, so no block is counted twice.
 * Both functions are inlined into all calls. These functions have no debug locations. So once they are
 * inlined, the calls in them get the line of the inlined call. Pointers to the function become pointers to
 * `outer`. */
#include "base/names.h"
#include "find/find.h"
#include "find/lists.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace allocsite {

static constexpr const char *MarkerPrefix = "__allocsite_custom.";

static GlobalVariable *markerOf(const Function &function, Module &module) {
    std::string name = (MarkerPrefix + symbolOf(function)).str();
    Type *type = Type::getInt8Ty(module.getContext());
    if (GlobalVariable *known = module.getNamedGlobal(name))
        return known;
    return new GlobalVariable(module, type, true, GlobalValue::ExternalWeakLinkage, nullptr, name);
}

void markInstrumented(Function &function) {
    if (function.hasLocalLinkage())
        return;
    GlobalVariable *marker = markerOf(function, *function.getParent());
    marker->setInitializer(ConstantInt::get(marker->getValueType(), 0));
    marker->setLinkage(GlobalValue::WeakODRLinkage);
    marker->setVisibility(function.getVisibility());
}

/* In a C module no function throws, so none needs unwind code. */
static bool throwsNothing(const Module &module) {
    return all_of(
        module, [](const Function &function) { return function.isDeclaration() || function.doesNotThrow(); });
}

/* LLVM does not inline a function into one with another personality. */
static Constant *personalityOf(const Module &module) {
    for (const Function &function : module)
        if (function.hasPersonalityFn())
            return function.getPersonalityFn();
    return nullptr;
}

static Function &declareLike(Function &function, const Twine &name, GlobalValue::LinkageTypes linkage) {
    Module &module = *function.getParent();
    Function *like = Function::createWithDefaultAttr(function.getFunctionType(), linkage,
                                                     function.getAddressSpace(), name, &module);
    AttributeSet defaults = like->getAttributes().getFnAttrs();
    like->setCallingConv(function.getCallingConv());
    like->setAttributes(function.getAttributes().removeFnAttributes(module.getContext()));
    for (Attribute attribute : defaults)
        like->addFnAttr(attribute);
    like->addFnAttr(Attribute::AlwaysInline);
    if (function.doesNotThrow() || throwsNothing(module))
        like->setDoesNotThrow();
    else if (Constant *personality = personalityOf(module))
        like->setPersonalityFn(personality);
    return *like;
}

/* Adds a block that calls `callee` with all parameters and returns the result. */
static CallInst *callFrom(Function &from, Function &callee) {
    IRBuilder<> builder(BasicBlock::Create(from.getContext(), "", &from));
    SmallVector<Value *, 8> values;
    for (Argument &argument : from.args())
        values.push_back(&argument);
    CallInst *call = builder.CreateCall(&callee, values);
    call->setCallingConv(callee.getCallingConv());
    call->setAttributes(callee.getAttributes().removeFnAttributes(from.getContext()));
    from.getReturnType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
    return call;
}

static Function &declareOuter(Function &function) {
    Function &outer =
        declareLike(function, ListedPrefix + symbolOf(function), GlobalValue::LinkOnceODRLinkage);
    outer.setVisibility(GlobalValue::HiddenVisibility);
    outer.setComdat(function.getParent()->getOrInsertComdat(outer.getName()));
    return outer;
}

/* Each call keeps its own line until it is inlined. */
static void keepCallsApart(Function &outer) {
    for (User *user : outer.users())
        if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == &outer)
            preventMerging(*call);
}

Function &replaceListed(Function &function) {
    Module &module = *function.getParent();
    Function &outer = declareOuter(function);
    Function &inner = declareLike(function, outer.getName() + ".elsewhere", GlobalValue::InternalLinkage);
    function.replaceAllUsesWith(&outer);
    keepCallsApart(outer);
    callFrom(inner, function);
    IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", &outer));
    BasicBlock *instrumented = callFrom(outer, function)->getParent();
    BasicBlock *elsewhere = callFrom(outer, inner)->getParent();
    builder.CreateCondBr(builder.CreateIsNotNull(markerOf(function, module)), instrumented, elsewhere);
    return inner;
}

void nameListed(Function &inner, const Function &function) {
    FunctionName name = Names().of(function);
    for (Instruction &instruction : instructions(inner))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && reportsCustomBlock(allocatorCalled(*call)))
            call->addFnAttr(Attribute::get(inner.getContext(), ListedAttribute, name.plain()));
}

} // namespace allocsite
