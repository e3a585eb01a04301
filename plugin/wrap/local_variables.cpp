/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wrap/local_variables.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace allocsite {

AllocaInst *variableAt(Value *pointer) {
    for (;;) {
        pointer = pointer->stripPointerCasts();
        auto *gep = dyn_cast<GEPOperator>(pointer);
        if (!gep)
            return dyn_cast<AllocaInst>(pointer);
        pointer = gep->getPointerOperand();
    }
}

bool isHarmless(const Instruction &user) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(&user);
    return isa<LoadInst>(user) || isa<ICmpInst>(user) ||
           (intrinsic && (intrinsic->isAssumeLikeIntrinsic() || isa<MemSetInst>(intrinsic)));
}

} // namespace allocsite
