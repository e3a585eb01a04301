/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lifting at run time, where a wrapper was not inlined: its caller leaves its site in a thread-local variable
 * of the runtime just before the call, and the wrapper takes it at its entry. So the outermost call wins, and
 * nothing is left for another one to find. */
#ifndef ALLOCSITE_PLUGIN_LIFT_H
#define ALLOCSITE_PLUGIN_LIFT_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Function.h>

#include "find.h"

namespace allocsite {

/* At the entry of a wrapper: the site that its caller has left, or null. */
llvm::Value *takeSite(llvm::Function &wrapper);

/* The site that was left, or else this one. */
llvm::Value *chooseSite(llvm::CallBase &call, llvm::Value *left, llvm::Constant *own);

/* Before a call of a wrapper. What may not take the site has the runtime bill what it allocates meanwhile, so
 * it is taken away behind the call. */
void leaveSite(llvm::CallBase &call, llvm::Value *site, bool isTaken);

/* An exception, or the end of the thread, that leaves such a call passes by what takes the site away. */
void clearWhenUnwound(llvm::Function &function, llvm::ArrayRef<AllocatorCall> calls);

} // namespace allocsite

#endif
