/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the program that are called at events.
 *
 * While there is one, no thread has room on the hot path (threads_watch), so every event comes by here; while
 * there is none, nothing that is hot asks. What a function allocates is not the program's, and calls none. */
#ifndef ALLOCSITE_LIB_HOOK_HOOK_H
#define ALLOCSITE_LIB_HOOK_HOOK_H

#include "lib/allocsite.h"

#include <stdbool.h>

extern bool hook_is_set __attribute__((visibility("hidden")));

/* 0, EINVAL: the filter is wrong, ENOSPC: there are too many. */
int hook_add(allocsite_event_function *, void *data, const char *filter);

/* ENOENT: it is not there. */
int hook_remove(allocsite_event_function *, void *data);

/* Of the option hook: the path of a shared object that is loaded when code of the program first allocates. */
void hook_load_later(const char *path);

/* Of the option break: "SITE:N". False: it is not of that form. */
bool hook_break(const char *where);

/* An event was counted for the slot, which may be NO_SLOT. The block is still there. */
void hook_call(enum allocsite_event_kind, uint32_t slot, const void *block, uint64_t size, uint64_t old_size);

static inline void hook_event(enum allocsite_event_kind kind, uint32_t slot, const void *block, uint64_t size,
                              uint64_t old_size) {
    if (__builtin_expect(__atomic_load_n(&hook_is_set, __ATOMIC_RELAXED), 0))
        hook_call(kind, slot, block, size, old_size);
}

#endif
