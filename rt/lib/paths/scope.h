/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scopes: to whom is billed what a called function allocates. */
#ifndef ALLOCSITE_LIB_PATHS_SCOPE_H
#define ALLOCSITE_LIB_PATHS_SCOPE_H

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"

struct allocsite_site;

/* Opens a scope and returns the one around it, for scope_close. */
struct scope scope_open(uint32_t slot, bool lifts, enum family, size_t bill, size_t expect,
                        const void *beyond);

/* Goes back to a scope; what was billed inside is told to it if it lifts. */
void scope_return(struct scope *around);

/* The first call of a site, the runtime is off, or the thread is within a scope. */
void scope_open_unready(struct scope *around, struct allocsite_site *, const void *beyond);

static inline void scope_close(struct scope *around) {
    if (UNLIKELY(around->active || local.scope.lifts)) {
        scope_return(around);
        return;
    }
    local.scope.active = false;
    local.diverted = local.silent;
}

/* Whether its scope is one that scope_enter can open, with none around it. */
static inline bool scope_is_ready(const struct allocsite_site *site) {
    return LIKELY((site->key & ~KEY_SLOW) < local.current->capacity) && LIKELY(!local.scope.active);
}

/* Of such a site. */
static inline void scope_enter(const struct allocsite_site *site, const void *beyond) {
    struct scope *scope = &local.scope;
    scope->slot = (site->key & ~KEY_SLOW) >> KEY_SHIFT;
    scope->beyond = beyond;
    scope->active = true;
    scope->lifts = scope->counted = scope->failed = false;
    scope->bill = scope->expect = 0;
    scope->family = FAMILY_MALLOC;
    local.own->billed_count = 0; /* it has one, for the site's key is within its capacity */
    local.diverted = true;
}

/* A scope for a library function called at site: all it allocates is billed there. */
static inline void scope_open_site(struct scope *around, struct allocsite_site *site) {
    char here = 0; /* in the frame of the function that this is inlined into */
    if (scope_is_ready(site)) {
        around->active = false; /* nothing else of such a one counts */
        scope_enter(site, &here);
    } else {
        scope_open_unready(around, site, &here);
    }
}

/* Closes the scope however its block is left: return, exception, cancellation. */
#define SCOPED(site)                                                                                         \
    __attribute__((cleanup(scope_close))) struct scope scope_around;                                         \
    scope_open_site(&scope_around, site)

/* The slot to bill an unsited call to that is about to be passed on. Keeps errno. */
uint32_t unsited_slot(const void *return_address);

/* Whether an allocation of the size is billed to the scope. One that expects the block of operator new takes
 * no other: the exception that this throws is its library's. One that lifts does so from the first failure
 * on. */
bool scope_takes(const struct scope *, size_t bytes);

/* An interposed function allocated p for a scope that takes it. Returns the bytes to bill. */
size_t scope_billed(struct scope *, const void *p, size_t bytes);

/* All scopes that are open are being left without being closed. */
void scopes_leave(void);

#endif
