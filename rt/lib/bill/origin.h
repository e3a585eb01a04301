/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Who calls, and what that is billed as. */
#ifndef ALLOCSITE_LIB_BILL_ORIGIN_H
#define ALLOCSITE_LIB_BILL_ORIGIN_H

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/bill/outside.h"
#include "lib/bill/stacks.h"
#include "lib/count/change.h"
#include "lib/who/callers.h"
#include "lib/who/registry.h"

/* ---- The site that the caller of a wrapper has left for what the wrapper allocates (plugin/lift/lift.h).
 *
 * A wrapper that was compiled with the plugin takes it at its entry and passes it on with its own calls.
 * While it stands here, what is called is a function that only declares to be a wrapper (attribute malloc, a
 * list): what that allocates without a site is billed to it, unless a scope or a hand-over says more. */

#define lifted ALLOCSITE_ENTRY(lifted)

extern ALLOCSITE_EXPORT __thread struct allocsite_site *lifted __attribute__((tls_model("initial-exec")));

/* The key for what was called from there without a site; ALLOCSITE_KEY_NONE: not known yet. */
static inline uint32_t unsited_key(const void *caller) {
    return UNLIKELY(lifted != NULL) ? lifted->key : caller_key(caller);
}

/* The same; ALLOCSITE_KEY_NONE where it has to be looked up. */
static inline uint32_t unsited_key_cached(const void *caller) {
    return UNLIKELY(lifted != NULL) ? lifted->key : caller_key_cached(caller);
}

/* The slot. */
static inline uint32_t unsited_owner(const void *caller) {
    return UNLIKELY(lifted != NULL) ? site_slot(lifted) : outside_slot(caller_slot(caller));
}

/* ---- Who calls. */

/* A site or, where that is NULL, the code behind a return address. */
struct origin {
    struct allocsite_site *site;
    const void *caller;
};

/* The slot of who calls. */
static inline uint32_t origin_slot(struct origin origin) {
    if (local.releaser)
        return local.releaser - 1;
    return origin.site ? outside_slot(site_slot(origin.site)) : unsited_owner(origin.caller);
}

/* Who counts what a slot is billed for now: within a custom allocator it is that one's backing. */
static inline struct share origin_share(uint32_t slot, uint64_t bytes) {
    bool is_backing = local.custom && slot != NO_SLOT;
    return (struct share){stack_slot(is_backing ? part_backing(slot) : slot), is_backing, bytes};
}

#endif
