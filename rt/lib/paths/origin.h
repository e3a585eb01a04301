/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The origin of an allocation: a site or a return address, and the slot that the allocation is counted
 * for. */
#ifndef ALLOCSITE_LIB_PATHS_ORIGIN_H
#define ALLOCSITE_LIB_PATHS_ORIGIN_H

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/count/change.h"
#include "lib/paths/outside.h"
#include "lib/paths/stacks.h"
#include "lib/registry/callers.h"
#include "lib/registry/registry.h"

/* A site or, if that is NULL, a return address. */
struct origin {
    struct allocsite_site *site;
    const void *caller;
};

#define BY_SITE(called) ((struct origin){.site = called})

/* Returns the slot of a call that allocates. */
static inline uint32_t origin_call_slot(struct origin origin) {
    return outside_slot(origin.site ? site_slot(origin.site) : caller_slot(origin.caller));
}

/* Returns the slot of a call that frees, or of the delete in progress, if there is one. */
static inline uint32_t origin_slot(struct origin origin) {
    return local.releaser ? local.releaser - 1 : origin_call_slot(origin);
}

/* Returns the share that counts an allocation of a slot: within a custom allocator the slot's chunks. */
static inline struct share origin_share(uint32_t slot, uint64_t bytes) {
    bool is_chunk = local.custom && slot != NO_SLOT;
    return (struct share){stack_slot(is_chunk ? part_uncounted(slot, PROFILE_CUSTOM_CHUNK) : slot), is_chunk,
                          bytes};
}

#endif
