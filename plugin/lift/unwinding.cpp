/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The unwinder asks the personality of each frame that it leaves, so that is what takes away a site that was
 * left for a call (lift.h). Landing pads could: code that next to never runs, and was 0.6% of what a large
 * C++ file takes to compile. */
#include "lift/lift.h"

#include "base/compat.h"
#include "format.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace allocsite {

static constexpr const char *Personality = ALLOCSITE_ENTRY_PREFIX "personality";

/* Itanium C++ ABI: Exception Handling, 1.6: not while a handler is looked for. Blocks that the library
 * allocates before its frames are left are its caller's still. */
static constexpr unsigned CleanupPhase = 2;

static FunctionType *personalityType(LLVMContext &context) {
    Type *i32 = Type::getInt32Ty(context), *pointer = pointerType(context);
    return FunctionType::get(i32, {i32, i32, Type::getInt64Ty(context), pointer, pointer}, false);
}

/* Tail calls even without optimization: nobody finds it on the stack who asks what called std::terminate. */
static void clearAndCall(Function &function, Constant *personality) {
    LLVMContext &context = function.getContext();
    BasicBlock *entry = BasicBlock::Create(context, "", &function);
    BasicBlock *leaving = BasicBlock::Create(context, "", &function);
    BasicBlock *end = BasicBlock::Create(context, "", &function);
    IRBuilder<> builder(entry);
    Value *phase = builder.CreateAnd(function.getArg(1), CleanupPhase);
    builder.CreateCondBr(builder.CreateIsNotNull(phase), leaving, end);
    builder.SetInsertPoint(leaving);
    clearSite(builder);
    builder.CreateBr(end);
    builder.SetInsertPoint(end);
    SmallVector<Value *, 5> values;
    for (Argument &argument : function.args())
        values.push_back(&argument);
    Value *callee = ConstantExpr::getBitCast(personality, function.getType());
    CallInst *call = builder.CreateCall(function.getFunctionType(), callee, values);
    call->setTailCallKind(CallInst::TCK_MustTail);
    builder.CreateRet(call);
}

/* In each file, since the runtime does not know the C++ library's: a program may have its own, and hidden. */
static Function &clearingFirst(Module &module, Constant *personality) {
    std::string name = (Personality + Twine('.') + personality->stripPointerCasts()->getName()).str();
    if (Function *known = module.getFunction(name))
        return *known;
    Function *function = Function::createWithDefaultAttr(personalityType(module.getContext()),
                                                         GlobalValue::LinkOnceODRLinkage, 0, name, &module);
    function->setVisibility(GlobalValue::HiddenVisibility);
    function->setComdat(module.getOrInsertComdat(name));
    function->addFnAttr(Attribute::Cold);
    clearAndCall(*function, personality);
    return *function;
}

static bool isClearing(Constant *personality) {
    return personality->stripPointerCasts()->getName().find(Personality) == 0;
}

static void clearFirst(Function &function) {
    Constant *personality = function.getPersonalityFn();
    if (!isClearing(personality))
        function.setPersonalityFn(&clearingFirst(*function.getParent(), personality));
}

/* The runtime's, which has nothing else to do. */
static void setPersonality(Function &function) {
    auto *type = FunctionType::get(Type::getInt32Ty(function.getContext()), true);
    FunctionCallee personality = function.getParent()->getOrInsertFunction(Personality, type);
    function.setPersonalityFn(cast<Constant>(personality.getCallee()));
}

void clearWhenUnwound(Function &function, ArrayRef<AllocatorCall> calls) {
    bool isLeaving =
        any_of(calls, [](const AllocatorCall &found) { return !found.what && !takesSite(found); });
    if (isLeaving && function.hasPersonalityFn())
        clearFirst(function);
    else if (isLeaving && function.needsUnwindTableEntry())
        setPersonality(function);
}

void alignPersonalities(Module &module) {
    for (Function &function : module)
        if (function.hasPersonalityFn())
            clearFirst(function);
}

} // namespace allocsite
