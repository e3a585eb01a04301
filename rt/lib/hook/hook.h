/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the program that are called at events.
 *
 * While there is a hook, all events take the slow path (threads_watch), which calls the hooks. So the hot
 * path does not test for them. A hook's own allocations are neither counted nor passed to hooks. */
#ifndef ALLOCSITE_LIB_HOOK_HOOK_H
#define ALLOCSITE_LIB_HOOK_HOOK_H

#include "lib/allocsite.h"

#include "model/site.h"

#include <stdbool.h>
#include <stddef.h>

extern bool hook_is_set __attribute__((visibility("hidden")));

/* Returns 0; EINVAL if the filter is wrong; ENOSPC if there are too many hooks. */
int hook_add(allocsite_event_function *, void *data, const char *filter);

/* Returns 0, or ENOENT if there is no such hook. */
int hook_remove(allocsite_event_function *, void *data);

/* For the option hook: the path of a shared object, loaded when code of the program first allocates. */
void hook_load_later(const char *path);

/* For the option break: "SITE:N". Returns false if it has another form. */
bool hook_break(const char *where);

/* Calls the hooks for an event of the slot, which may be NO_SLOT. The block still exists. */
void hook_call(enum allocsite_event_kind, uint32_t slot, const void *block, uint64_t size, uint64_t old_size);

/* Returns the slot's site or caller as reports print it. Writes at most `capacity` locations of its inline
 * chain to places. */
struct site_view hook_site(uint32_t slot, struct place *places, size_t capacity);

/* Sends all events to the slow path if a hook or the option fail needs them, otherwise to the hot path. */
void hooks_watch_again(void);

static inline void hook_event(enum allocsite_event_kind kind, uint32_t slot, const void *block, uint64_t size,
                              uint64_t old_size) {
    if (__builtin_expect(__atomic_load_n(&hook_is_set, __ATOMIC_RELAXED), 0))
        hook_call(kind, slot, block, size, old_size);
}

#endif
