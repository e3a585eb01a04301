/* Scopes: billing what a called function allocates to the site that called it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "runtime.h"

#include <errno.h>

static void scope_install(const struct scope *scope) {
    local.scope = *scope;
    local_divert();
    if (scope->active && scope->lifts)
        thread_hide();
    else
        thread_show();
}

struct scope scope_open(uint32_t slot, bool lifts, size_t bill, size_t expect) {
    struct scope around = local.scope;
    bool lifted = around.active && around.lifts;
    struct scope scope = {
        .slot = lifted ? around.slot : slot,
        .active = slot != NO_SLOT,
        .lifts = lifted || lifts,
        .expect = expect,
        .bill = bill,
    };
    scope_install(&scope);
    return around;
}

void scope_return(struct scope *around) {
    if (around->active && around->lifts) {
        around->counted |= local.scope.counted;
        around->failed |= local.scope.failed;
        around->allocs += local.scope.allocs;
        around->bytes += local.scope.bytes;
    }
    scope_install(around);
}

COLD struct scope scope_open_unready(struct allocsite_site *site) {
    if (runtime_off)
        return local.scope;
    int error = errno;
    runtime_start();
    struct scope around = scope_open(runtime_off ? NO_SLOT : site_slot(site), false, 0, 0);
    errno = error;
    return around;
}

void scope_call_failed(void) {
    if (local.scope.active && local.scope.failed && !local.scope.lifts)
        count_slot(local.scope.slot, EVENT_FAILED, 0);
}

void scope_count(enum event event, uint64_t bytes) {
    if (!local.scope.active)
        return;
    local.scope.counted = true;
    count_slot(local.scope.slot, event, bytes);
}

void scope_disown(const void *callee) {
    uint32_t slot = local.scope.allocs ? module_slot(callee) : NO_SLOT;
    if (slot == NO_SLOT)
        return;
    for (; local.scope.allocs; local.scope.allocs--, local.scope.bytes = 0) {
        count_slot(local.scope.slot, EVENT_ALLOC_UNDONE, local.scope.bytes);
        count_slot(slot, EVENT_ALLOC, local.scope.bytes);
    }
}

uint32_t handover_take(void) {
    uint32_t handover = local.handover;
    if (handover) {
        local.handover = 0;
        local_divert();
    }
    return handover;
}

uint32_t unsited_slot(const void *return_address) {
    int error = errno;
    uint32_t handover = handover_take();
    uint32_t slot = handover ? handover - 1 : module_slot(return_address);
    errno = error;
    return slot;
}

struct scope scope_suspend(void) {
    struct scope suspended = local.scope;
    scope_install(&(struct scope){.active = false});
    return suspended;
}

void scope_resume(const struct scope *suspended) {
    scope_install(suspended);
}

void scopes_leave(void) {
    static const struct scope none;
    if (local.scope.active)
        scope_install(&none);
}

/* What most scopes see: one allocation. False: it is something else, and nothing has been done. */
static inline bool count_scoped_alloc(struct scope *scope, uint64_t bytes) {
    struct thread *own = local.own; /* not current, which hides it within a scope that lifts */
    bool ready = own && scope->slot < own->capacity;
    if (UNLIKELY(!ready || !scope->active || local.handover || local.silent))
        return false;
    if (bytes >= scope->bill && bytes <= scope->expect)
        bytes = scope->bill;
    scope->counted = true;
    scope->allocs++;
    scope->bytes += bytes;
    bump_alloc(&own->counters[scope->slot], bytes);
    return true;
}

/* Bills to the scope and tells it what happened inside. */
static void count_scoped(struct scope *scope, enum event event, uint64_t bytes) {
    if (event == EVENT_FAILED) {
        scope->failed = true;
        return;
    }
    if (bytes >= scope->bill && bytes <= scope->expect)
        bytes = scope->bill;
    scope->counted = true;
    scope->allocs += event == EVENT_ALLOC;
    scope->bytes += event == EVENT_ALLOC ? bytes : 0;
    count_slot(scope->slot, event, bytes);
}

static COLD void count_unsited_slow(const void *return_address, enum event event, uint64_t bytes) {
    if (!runtime_counts()) {
        local.heard = true;
        return;
    }
    int error = errno;
    uint32_t handover = handover_take();
    if (handover)
        count_slot(handover - 1, event, bytes);
    else if (local.scope.active)
        count_scoped(&local.scope, event, bytes);
    else
        count_slot(module_slot(return_address), event, bytes);
    errno = error;
}

void count_unsited(const void *return_address, enum event event, uint64_t bytes) {
    if (event != EVENT_ALLOC || !count_scoped_alloc(&local.scope, bytes))
        count_unsited_slow(return_address, event, bytes);
}

ALLOCSITE_EXPORT void ALLOCSITE_ENTRY(handover)(struct allocsite_site *site);

/* For a call that cannot pass its site (musttail): the plugin calls this just before it. */
void ALLOCSITE_ENTRY(handover)(struct allocsite_site *site) {
    int error = errno;
    runtime_start();
    if (!runtime_off && !hole_is_set(HOLE_INTERPOSITION) && !hole_is_set(HOLE_UNWRAPPED)) {
        uint32_t slot = site_slot(site);
        local.handover = slot == NO_SLOT ? 0 : slot + 1;
        local_divert();
    }
    errno = error;
}
