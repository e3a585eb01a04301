/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that allocsite.h calls. */
#define _GNU_SOURCE
#include "lib/acct/acct.h"
#include "lib/allocsite.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/calls/entry.h"
#include "lib/collect/collect.h"
#include "lib/collect/profiling.h"
#include "lib/count/sums.h"
#include "lib/count/threads.h"
#include "lib/heap/shadow.h"
#include "lib/hook/hook.h"
#include "lib/paths/origin.h"
#include "lib/registry/registry.h"
#include "lib/report/look.h"
#include "lib/report/reader.h"
#include "lib/report/report.h"
#include "lib/store/store.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* See start.c. */
extern const char api_is_linked;
const char api_is_linked = 1;

/* Returns whether the runtime counts or could be started; starts it if needed. Keeps errno. */
static bool runtime_is_there(void) {
    int error = errno;
    runtime_start();
    errno = error;
    return !runtime_off;
}

static bool is_on(void) {
    return runtime_is_there() && !runtime_is_asleep();
}

ALLOCSITE_EXPORT int __allocsite_api_v1_start(void) {
    if (!runtime_is_there())
        return ENOSYS;
    if (!runtime_is_asleep() && !threads_are_paused())
        return EALREADY;
    threads_start();
    return 0;
}

/* A thread that was joined may still be in the kernel's list. */
static bool is_alone(void) {
    enum { TRIES = 100 };
    for (uint32_t tries = 1; tries < TRIES && os_threads() > 1; tries++)
        os_wait(tries);
    return os_threads() == 1;
}

/* Replaces the memory of the counters by a file, during which no other thread may run. */
ALLOCSITE_EXPORT int __allocsite_api_v1_start_profile(const char *pattern) {
    int before = errno;
    if (!runtime_is_there())
        return ENOSYS;
    if (!pattern)
        return EINVAL;
    int error = profiling_is_wanted() ? EALREADY : !is_alone() ? EBUSY : profiling_begin_late(pattern);
    if (!error) {
        threads_start();
    }
    errno = before;
    return error;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_stop(void) {
    if (!is_on())
        return ENOSYS;
    if (threads_are_paused())
        return EALREADY;
    threads_pause(true);
    return 0;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_is_counting(void) {
    return is_on() && !threads_are_paused();
}

ALLOCSITE_EXPORT void __allocsite_api_v1_reset(void) {
    int error = errno;
    if (is_on())
        counters_reset();
    errno = error;
}

/* Returns 0 or an errno. The reader has reported the reason of an EINVAL. */
static int report_by(const struct reader_call *call) {
    const char *why;
    int before = errno, error = reader_run(call, &why);
    if (error && error != EINVAL && error != EBADF)
        os_say("no report: ", why);
    errno = before;
    return error;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_report_fd(int fd, const char *name) {
    static const char key[] = "format=";
    char options[sizeof key + 32] = "";
    if (!is_on())
        return ENOSYS;
    if (name && (strlen(name) > 32 || strchr(name, ':')))
        return EINVAL;
    if (name)
        strcat(strcpy(options, key), name);
    return report_by(&(struct reader_call){.out = fd, .options = name ? options : NULL});
}

ALLOCSITE_EXPORT int __allocsite_api_v1_report_to(int fd, const char *text) {
    if (!is_on())
        return ENOSYS;
    return report_by(&(struct reader_call){.out = fd, .options = text ? text : "", .is_alone = true});
}

ALLOCSITE_EXPORT int __allocsite_api_v1_report(const char *pattern, const char *name) {
    struct report_file file;
    const char *why;
    int before = errno;
    if (!is_on())
        return ENOSYS;
    if (!pattern)
        return EINVAL;
    int error = report_file_open(&file, pattern, &why);
    if (!error)
        error = report_file_close(&file, __allocsite_api_v1_report_fd(file.fd, name));
    errno = before;
    return error;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_graph(const char *pattern) {
    if (!is_on())
        return ENOSYS;
    if (!pattern)
        return EINVAL;
    int before = errno, error = snapshot_write_to(pattern);
    errno = before;
    return error;
}

ALLOCSITE_EXPORT size_t __allocsite_api_v1_deep_size(const void *p) {
    return is_on() && runtime_owners ? leaked_deep_size(p) : 0;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_profile_fd(int fd) {
    if (!is_on())
        return ENOSYS;
    int before = errno, error = profiling_copy(fd);
    errno = before;
    return error;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_profile(const char *pattern) {
    if (!is_on())
        return ENOSYS;
    if (!pattern)
        return EINVAL;
    int before = errno, error = profiling_copy_to(pattern);
    errno = before;
    return error;
}

/* Adds the fields of the same names. */
static void totals_add(struct allocsite_totals *totals, const struct counters *counters) {
#define ADD(name) totals->name += counters->name;
    ADD(allocs)
    ADD(alloc_bytes)
    ADD(reallocs)
    ADD(realloc_bytes)
    ADD(realloc_old_bytes)
    ADD(frees)
    ADD(freed_bytes)
    ADD(moved)
    ADD(moved_bytes)
    ADD(failed)
    ADD(peak_blocks)
    ADD(peak_bytes)
    totals->live_blocks += (int64_t)counters->live_blocks;
    totals->live_bytes += (int64_t)counters->live_bytes;
}

/* Sets all counts to 0. Returns 0 or an errno. */
static int totals_begin(struct allocsite_totals *totals) {
    if (totals)
        *totals = (struct allocsite_totals){0};
    return !is_on() ? ENOSYS : totals ? 0 : EINVAL;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_totals(struct allocsite_totals *totals) {
    int error = totals_begin(totals);
    if (error)
        return error;
    sums_know_inherited();
    for (uint32_t slot = 1; slot < record_count(); slot++) {
        struct sum sum;
        struct counters counters;
        if (!slot_is_in_totals(slot))
            continue;
        sum_slot(slot, &sum);
        sum_counters(&counters, &sum);
        totals_add(totals, &counters);
    }
    return 0;
}

static void totals_add_slab(void *context, const struct slab *slab) {
    for (uint32_t slot = 1; KEY(slot) < slab->capacity; slot++) {
        if (!slot_is_in_totals(slot))
            continue;
        struct slab_counts counts = slab_counts(slab, slot);
        struct sum sum = {0};
        struct counters counters;
        sum_add(&sum, &counts);
        sum_counters(&counters, &sum);
        counters_forget_peaks(&counters);
        totals_add(context, &counters);
    }
}

ALLOCSITE_EXPORT int __allocsite_api_v1_thread_totals(struct allocsite_totals *totals) {
    int error = totals_begin(totals);
    if (error)
        return error;
    thread_keep_slab();
    thread_visit_slabs(totals_add_slab, totals);
    return 0;
}

ALLOCSITE_EXPORT void __allocsite_api_v1_phase_push(const char *name) {
    int error = errno;
    if (is_on())
        phase_push(names_text(name));
    errno = error;
}

ALLOCSITE_EXPORT void __allocsite_api_v1_phase_pop(void) {
    int error = errno;
    if (is_on())
        phase_pop();
    errno = error;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_on_event(allocsite_event_function *function, void *data,
                                                 const char *filter) {
    return is_on() ? hook_add(function, data, filter) : ENOSYS;
}

ALLOCSITE_EXPORT int __allocsite_api_v1_off_event(allocsite_event_function *function, void *data) {
    return is_on() ? hook_remove(function, data) : ENOSYS;
}

static void block_mark(struct origin origin, const void *p, size_t size) {
    if (!runtime_is_there() || !p || shadow_find(p).state == BLOCK_LIVE)
        return;
    if (shadow_can_hold(p, size))
        acct_mark(p, size, origin);
    else
        gap_set(GAP_MARK);
}

ALLOCSITE_EXPORT void allocsite_mark_block(const void *p, size_t size) {
    block_mark((struct origin){.caller = __builtin_return_address(0)}, p, size);
}

/* If some blocks could not be marked, an unknown block is no fault. NULL is ignored, as in free. */
static void block_unmark(struct origin origin, const void *p) {
    if (p && (!gap_is_set(GAP_MARK) || shadow_find(p).state == BLOCK_LIVE))
        acct_free((void *)(uintptr_t)p, origin, FAMILY_MALLOC);
}

ALLOCSITE_EXPORT void allocsite_unmark_block(const void *p) {
    block_unmark((struct origin){.caller = __builtin_return_address(0)}, p);
}

ALLOCSITE_EXPORT void __liballocsite_v1_allocsite_mark_block(const void *p, size_t size,
                                                             struct allocsite_site *site) {
    block_mark(BY_SITE(site), p, size);
}

ALLOCSITE_EXPORT void __liballocsite_v1_allocsite_unmark_block(const void *p, struct allocsite_site *site) {
    block_unmark(BY_SITE(site), p);
}
