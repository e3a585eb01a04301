/* What one site can do to another one's blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_PAIR_KIND_H
#define ALLOCSITE_PAIR_KIND_H

#include <stdbool.h>

/* Kind, its name in JSON, and what it is called for people. Those before the first fault are what programs
 * do all the time. */
#define ALLOCSITE_PAIR_KINDS(X)                                                                              \
    X(PAIR_FREE, "free", "freed by")                                                                         \
    X(PAIR_REALLOC, "realloc", "reallocated by")                                                             \
    X(FAULT_DOUBLE_FREE, "double_free", "freed twice")                                                       \
    X(FAULT_FOREIGN, "foreign", "freed, but from no allocator")                                              \
    X(FAULT_MISMATCH, "mismatch", "freed by the wrong function")                                             \
    X(FAULT_ARRAY_MISMATCH, "array_mismatch", "freed by the wrong delete")

enum pair_kind {
#define ALLOCSITE_PAIR_KIND(kind, name, words) kind,
    ALLOCSITE_PAIR_KINDS(ALLOCSITE_PAIR_KIND)
#undef ALLOCSITE_PAIR_KIND
        PAIR_KINDS
};

static inline bool pair_is_fault(enum pair_kind kind) {
    return kind >= FAULT_DOUBLE_FREE;
}

#endif
