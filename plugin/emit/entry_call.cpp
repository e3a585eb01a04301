/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit/entry_call.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace allocsite {

Arguments withSite(CallBase &call, Value *site) {
    Arguments arguments;
    FunctionType *called = call.getFunctionType();
    for (unsigned i = 0; i < call.arg_size(); i++)
        arguments.add(i < called->getNumParams() ? called->getParamType(i) : nullptr, call.getArgOperand(i),
                      call.getAttributes().getParamAttrs(i));
    arguments.add(site->getType(), site, {});
    return arguments;
}

static Value *extendNumber(IRBuilder<> &builder, Value *number, bool isSigned, Type *type) {
    if (number->getType()->getIntegerBitWidth() < 32)
        number = builder.CreateIntCast(number, builder.getInt32Ty(), isSigned);
    return builder.CreateZExtOrTrunc(number, type);
}

void extendNumbers(CallBase &call, const allocator &row, Arguments &arguments) {
    IRBuilder<> builder(&call);
    for (unsigned i = 0; row.prototype[i + 1]; i++) {
        Type *type = row.prototype[i + 1] == 'z' ? builder.getInt64Ty() : builder.getInt32Ty();
        Value *&value = arguments.values[i];
        if (!value->getType()->isIntegerTy() || value->getType() == type)
            continue;
        value = extendNumber(builder, value, arguments.attributes[i].hasAttribute(Attribute::SExt), type);
        arguments.types[i] = type;
        arguments.attributes[i] = {};
    }
}

static CallBase *createCall(IRBuilder<> &builder, CallBase &call, FunctionCallee entry,
                            ArrayRef<Value *> values) {
    SmallVector<OperandBundleDef, 1> bundles;
    call.getOperandBundlesAsDefs(bundles);
    if (auto *invoke = dyn_cast<InvokeInst>(&call))
        return builder.CreateInvoke(entry, invoke->getNormalDest(), invoke->getUnwindDest(), values, bundles);
    CallInst *created = builder.CreateCall(entry, values, bundles);
    created->setTailCallKind(cast<CallInst>(call).getTailCallKind());
    return created;
}

AttributeSet withoutSignature(LLVMContext &context, AttributeSet attributes) {
    return attributes.removeAttribute(context, "alloc-variant-zeroed");
}

void replaceWithCall(CallBase &call, FunctionCallee callee, const Arguments &arguments) {
    IRBuilder<> builder(&call);
    CallBase *created = createCall(builder, call, callee, arguments.values);
    LLVMContext &context = call.getContext();
    AttributeList attributes = call.getAttributes();
    created->setCallingConv(call.getCallingConv());
    created->setAttributes(AttributeList::get(context, withoutSignature(context, attributes.getFnAttrs()),
                                              attributes.getRetAttrs(), arguments.attributes));
    created->copyMetadata(call);
    created->takeName(&call);
    call.replaceAllUsesWith(created);
    call.eraseFromParent();
}

} // namespace allocsite
