/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts the events of mappings, with maps=1. A mapping is a block that is in no total. If a part of it is
 * unmapped, each part that is left counts as reallocated by the mapping's own slot. So law 1 holds for each
 * slot. */
#ifndef ALLOCSITE_LIB_ACCT_MAPPING_H
#define ALLOCSITE_LIB_ACCT_MAPPING_H

#include "lib/heap/mappings.h"
#include "lib/paths/origin.h"

/* Counts a call that mapped memory at p, or failed (p: MAP_FAILED). Unmaps older mappings there. Keeps
 * errno. */
void mapping_made(struct origin, const void *p, size_t bytes);

/* A call that will unmap or move memory. Another thread may map it again before the call has returned, so
 * only mappings that existed before it are affected. */
struct mapping_call {
    uint64_t below;
    uintptr_t begin, end;
};

/* Returns the call for the whole pages of a range. If bytes is 0, the range is the mapping that begins at p.
 * Keeps errno. */
struct mapping_call mapping_call_begin(const void *p, size_t bytes);

/* Counts that the call unmapped the memory. Keeps errno. */
void mapping_unmade(const struct mapping_call *);

/* Counts that mremap returned p. is_copy: the old mapping stays. Keeps errno. */
void mapping_moved(struct origin, const struct mapping_call *, bool is_copy, const void *p, size_t bytes);

#endif
