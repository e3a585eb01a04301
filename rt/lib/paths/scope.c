/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scopes: billing what a called function allocates to the site that called it. */
#include "lib/paths/scope.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/count/threads.h"
#include "lib/paths/origin.h"
#include "lib/registry/registry.h"

#include <errno.h>

static void scope_install(const struct scope *scope) {
    local.scope = *scope;
    local_divert();
    if (scope->active && scope->lifts)
        thread_hide();
    else
        thread_show();
}

struct scope scope_open(uint32_t slot, bool lifts, enum family family, size_t bill, size_t expect,
                        const void *beyond) {
    struct scope around = local.scope;
    bool lifted = around.active && around.lifts;
    struct scope scope = {
        .slot = lifted ? around.slot : slot,
        .active = slot != NO_SLOT,
        .lifts = lifted || lifts,
        .expect = expect,
        .bill = bill,
        .family = family,
        .beyond = lifted ? around.beyond : beyond,
    };
    if (!local.own && !local.ending)
        thread_keep_slab(); /* which brings the memory that billed blocks are noted in */
    if (!lifted && local.own)
        local.own->billed_count = 0;
    scope_install(&scope);
    return around;
}

void scope_return(struct scope *around) {
    if (around->active && around->lifts) {
        around->counted |= local.scope.counted;
        around->failed |= local.scope.failed;
    }
    scope_install(around);
}

void scope_open_unready(struct scope *around, struct allocsite_site *site, const void *beyond) {
    *around = local.scope;
    if (runtime_off)
        return;
    int error = errno;
    runtime_start();
    uint32_t slot = runtime_off ? NO_SLOT : site_slot(site);
    *around = scope_open(slot, false, FAMILY_MALLOC, 0, 0, beyond);
    errno = error;
}

static bool is_expected(const struct scope *scope, size_t bytes) {
    return bytes >= scope->bill && bytes <= scope->expect;
}

bool scope_takes(const struct scope *scope, size_t bytes) {
    bool takes_any = !scope->expect || (scope->lifts && !scope->failed);
    return scope->active && (takes_any || is_expected(scope, bytes));
}

size_t scope_billed(struct scope *scope, const void *p, size_t bytes) {
    if (!p) {
        scope->failed = true;
        return bytes;
    }
    scope->counted = true;
    bytes = is_expected(scope, bytes) ? scope->bill : bytes;
    struct thread *thread = local.own;
    if (thread && thread->billed_count < SCOPE_BLOCKS)
        thread->billed[thread->billed_count++] = (struct billed){p, bytes};
    return bytes;
}

uint32_t unsited_slot(const void *return_address) {
    int error = errno;
    uint32_t slot = outside_slot(caller_slot(return_address));
    errno = error;
    return slot;
}

void scopes_leave(void) {
    static const struct scope none;
    local.releaser = 0;
    local.released = NULL;
    bool is_custom = local.custom;
    local.custom = 0;
    if (local.scope.active || is_custom)
        scope_install(&none);
    if (local.begun)
        hole_set(HOLE_TORN);
    local.begun = 0;
}
