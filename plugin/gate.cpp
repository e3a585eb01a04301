/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "gate.h"

#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "twin.h"

using namespace llvm;

namespace allocsite {

/* What calls of the gate come to, of its type, and rarely. */
static Function &addLocal(const Function &gate, const char *suffix) {
    Function *local =
        Function::Create(gate.getFunctionType(), GlobalValue::InternalLinkage, gate.getAddressSpace(),
                         gate.getName() + suffix, const_cast<Module *>(gate.getParent()));
    local->setAttributes(gate.getAttributes());
    local->addFnAttr(Attribute::Cold);
    local->addFnAttr(Attribute::NoInline);
    return *local;
}

static GlobalVariable &addPointer(Function &to, const Twine &name) {
    return *new GlobalVariable(*to.getParent(), to.getType(), false, GlobalValue::PrivateLinkage, &to, name);
}

static void jump(IRBuilder<> &builder, Function &from, Value *to) {
    SmallVector<Value *, 8> values;
    for (Argument &argument : from.args())
        values.push_back(&argument);
    CallInst *call = builder.CreateCall(from.getFunctionType(), to, values);
    call->setAttributes(from.getAttributes().removeFnAttributes(from.getContext()));
    call->setTailCallKind(CallInst::TCK_MustTail);
    call->getType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
}

/* Not atomic: whoever sees it late goes the longer way, and a thread that writes it meanwhile writes a whole
 * word. */
static void jumpWhere(Function &gate, GlobalVariable &where) {
    IRBuilder<> builder(BasicBlock::Create(gate.getContext(), "", &gate));
    jump(builder, gate, builder.CreateLoad(where.getValueType(), &where));
}

/* What the name reaches only the dynamic linker knows, whatever an optimizer thinks of it. */
static Value *isReached(IRBuilder<> &builder, Function &wrapper) {
    GlobalVariable &name = addPointer(wrapper, wrapper.getName() + ALLOCSITE_SITED ".named");
    auto *own =
        GlobalAlias::create(wrapper.getValueType(), wrapper.getAddressSpace(), GlobalValue::InternalLinkage,
                            wrapper.getName() + ALLOCSITE_SITED ".own", &wrapper);
    return builder.CreateICmpEQ(builder.CreateLoad(wrapper.getType(), &name, true), own);
}

void addGate(Function &gate, Function &wrapper, Function &code, Lifting &lifting) {
    Function &leaving = addLocal(gate, ".leaving"), &first = addLocal(gate, ".first");
    leaveAndCall(leaving, wrapper, lifting);
    GlobalVariable &where = addPointer(first, gate.getName() + ".where");
    jumpWhere(gate, where);
    IRBuilder<> builder(BasicBlock::Create(first.getContext(), "", &first));
    Value *to = builder.CreateSelect(isReached(builder, wrapper), &code, &leaving);
    builder.CreateAlignedStore(to, &where, Align(8))->setAtomic(AtomicOrdering::Monotonic);
    jump(builder, first, to);
}

} // namespace allocsite
