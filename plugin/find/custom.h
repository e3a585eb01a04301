/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Custom allocators: the definitions of functions that users said to be some tell the runtime what they hand
 * out and take back. */
#ifndef ALLOCSITE_FIND_CUSTOM_H
#define ALLOCSITE_FIND_CUSTOM_H

#include "find/lists.h"

namespace allocsite {

/* Ahead of the optimizer and of the search for wrappers. The definition, not the call, so that tables of
 * methods and calls through pointers work, and inlining takes it along. What tells of blocks is a call of an
 * allocator with an empty callee (allocators.h), which gets a site like all others. */
void instrumentCustom(llvm::Module &module, const Lists &lists);

} // namespace allocsite

#endif
