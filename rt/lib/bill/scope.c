/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scopes: billing what a called function allocates to the site that called it. */
#include "lib/bill/scope.h"
#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/bill/origin.h"
#include "lib/count/threads.h"
#include "lib/who/registry.h"

#include <errno.h>
#include <unwind.h>

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
    return scope->active && (scope->lifts || !scope->expect || is_expected(scope, bytes));
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
    uint32_t slot = handover ? handover - 1 : unsited_owner(return_address);
    errno = error;
    return slot;
}

void scopes_leave(void) {
    static const struct scope none;
    local.releaser = 0;
    local.released = NULL;
    lifted = NULL;
    bool is_custom = local.custom;
    local.custom = 0;
    if (local.scope.active || is_custom)
        scope_install(&none);
    if (local.begun)
        hole_set(HOLE_TORN);
    local.begun = 0;
}

/* For a call that cannot pass its site (musttail): the plugin calls this just before it. */
ALLOCSITE_EXPORT void __liballocsite_v1_handover(struct allocsite_site *site) {
    int error = errno;
    runtime_start();
    if (!runtime_off && !hole_is_set(HOLE_INTERPOSITION) && !hole_is_set(HOLE_UNWRAPPED)) {
        uint32_t slot = site_slot(site);
        local.handover = slot == NO_SLOT ? 0 : slot + 1;
        local_divert();
    }
    errno = error;
}

__thread struct allocsite_site *lifted;

/* Of the program's frames without landing pads that leave a site for a wrapper: who unwinds the frame leaves
 * that call. */
ALLOCSITE_EXPORT _Unwind_Reason_Code __liballocsite_v1_personality(int version, _Unwind_Action actions,
                                                                   _Unwind_Exception_Class class,
                                                                   struct _Unwind_Exception *exception,
                                                                   struct _Unwind_Context *context) {
    (void)version;
    (void)class;
    (void)exception;
    (void)context;
    if (actions & _UA_CLEANUP_PHASE)
        lifted = NULL;
    return _URC_CONTINUE_UNWIND;
}

/* ---- A wrapper that no site was left for. */

/* By slot: what stands for a caller where a site is asked for. Only the key counts. */
#define BY_CALLER_FIRST 1024
static struct table by_caller = {.element = sizeof(struct allocsite_site), .first = BY_CALLER_FIRST};

static COLD struct allocsite_site *find_caller(const void *return_address) {
    uint32_t key = runtime_counts() ? caller_key(return_address) : ALLOCSITE_KEY_NONE;
    struct allocsite_site *site = key == ALLOCSITE_KEY_NONE ? NULL : table_at(&by_caller, key_slot(key));
    if (site)
        __atomic_store_n(&site->key, key, __ATOMIC_RELAXED);
    return site;
}

/* Whoever calls a wrapper from another file comes here. A caller whose key is known is one that was here, so
 * the runtime has started. */
ALLOCSITE_EXPORT struct allocsite_site *__liballocsite_v1_caller(const void *return_address) {
    if (UNLIKELY(runtime_off) || UNLIKELY(local.silent))
        return NULL;
    uint32_t key = caller_key_cached(return_address);
    struct allocsite_site *site =
        LIKELY(key != ALLOCSITE_KEY_NONE)
            ? table_peek_here(&by_caller, BY_CALLER_FIRST, sizeof *site, key_slot(key))
            : NULL;
    return LIKELY(site && site->key == key) ? site : find_caller(return_address);
}
