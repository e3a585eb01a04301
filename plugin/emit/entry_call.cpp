/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "emit/entry_call.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace allocsite {

Arguments withSite(CallBase &call, Value *site, site_position position) {
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

static Value *extended(IRBuilder<> &builder, Value *number, bool isSigned, Type *type) {
    if (number->getType()->getIntegerBitWidth() < 32)
        number = builder.CreateIntCast(number, builder.getInt32Ty(), isSigned);
    return builder.CreateZExtOrTrunc(number, type);
}

void extendNumbers(CallBase &call, const allocator &row, Arguments &arguments) {
    IRBuilder<> builder(&call);
    unsigned site = row.position == SITE_FIRST;
    for (unsigned i = 0; row.prototype[i + 1] && row.prototype[i + 1] != '.'; i++) {
        Type *type = row.prototype[i + 1] == 'z' ? builder.getInt64Ty() : builder.getInt32Ty();
        Value *&value = arguments.values[site + i];
        if (!value->getType()->isIntegerTy() || value->getType() == type)
            continue;
        value = extended(builder, value, arguments.attributes[site + i].hasAttribute(Attribute::SExt), type);
        arguments.types[site + i] = type;
        arguments.attributes[site + i] = {};
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

/* alloc-variant-zeroed names a function with the same signature; the other attributes refer to arguments by
 * position. */
AttributeSet withoutSignature(LLVMContext &context, AttributeSet attributes, site_position position) {
    attributes = attributes.removeAttribute(context, "alloc-variant-zeroed");
    if (position == SITE_LAST)
        return attributes;
    return attributes.removeAttribute(context, Attribute::AllocSize)
        .removeAttribute(context, "modular-format");
}

void replaceWithCall(CallBase &call, FunctionCallee callee, const Arguments &arguments,
                     site_position position) {
    IRBuilder<> builder(&call);
    CallBase *created = createCall(builder, call, callee, arguments.values);
    LLVMContext &context = call.getContext();
    AttributeList attributes = call.getAttributes();
    created->setCallingConv(call.getCallingConv());
    created->setAttributes(AttributeList::get(context,
                                              withoutSignature(context, attributes.getFnAttrs(), position),
                                              attributes.getRetAttrs(), arguments.attributes));
    created->copyMetadata(call);
    created->takeName(&call);
    call.replaceAllUsesWith(created);
    call.eraseFromParent();
}

} // namespace allocsite
