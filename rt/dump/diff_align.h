/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs the calls of one function with those of an edited version of it. */
#ifndef ALLOCSITE_DIFF_ALIGN_H
#define ALLOCSITE_DIFF_ALIGN_H

#include "diff_join.h"

/* Both arrays are in the order of the code, and are calls of the same callee in the same function. Some may
 * have partners already; others get one so that
 *
 *     no two pairs cross, as an edit seldom swaps two calls;
 *     as many as possible have one;
 *     they move by as many lines as many others of the same column and type would, as everything below an
 *     inserted or deleted line does;
 *     lines move little.
 *
 * Time and memory are the product of the counts; if that is beyond ALIGN_CELLS_MAX, the calls without a
 * partner are paired one by one as they come. False: out of memory. */
#define ALIGN_CELLS_MAX ((size_t)1 << 20)
bool align(struct join_site **old, size_t old_count, struct join_site **new, size_t new_count);

#endif
