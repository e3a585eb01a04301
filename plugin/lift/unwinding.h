/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A site that is left for a call (lift.h) has to go as well when an exception, or the end of the thread,
 * leaves that call. The unwinder asks the personality of each frame that it leaves, so that is what takes the
 * site away. Landing pads could: code that next to never runs, and was 0.6% of what a large C++ file takes to
 * compile. */
#ifndef ALLOCSITE_LIFT_UNWINDING_H
#define ALLOCSITE_LIFT_UNWINDING_H

#include "find/find.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>

namespace allocsite {

void clearWhenUnwound(llvm::Function &function, llvm::ArrayRef<AllocatorCall> calls);

/* Before LTO, which inlines functions only into those of the same personality: gives all of a module that
 * have one the same. */
void alignPersonalities(llvm::Module &module);

} // namespace allocsite

#endif
