/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lift/site_argument.h"

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

void callInstead(CallBase &call, FunctionCallee callee, const Arguments &arguments) {
    IRBuilder<> builder(&call);
    CallBase *created = create(builder, call, callee, arguments.values);
    AttributeList attributes = call.getAttributes();
    created->setCallingConv(call.getCallingConv());
    created->setAttributes(AttributeList::get(call.getContext(), attributes.getFnAttrs(),
                                              attributes.getRetAttrs(), arguments.attributes));
    created->copyMetadata(call);
    created->takeName(&call);
    call.replaceAllUsesWith(created);
    call.eraseFromParent();
}

} // namespace allocsite
