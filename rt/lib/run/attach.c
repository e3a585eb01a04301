/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counts for a while in a process that was started without the runtime. allocsite-run loads the library there
 * with dlopen, and calls these functions in a thread that it has stopped, while the other threads run.
 *
 * Counting is paused until all functions are redirected, and paused again before they are restored. So there
 * is one moment at which it starts, and from there on every free and realloc is seen. Blocks from before are
 * unknown: their frees count as nothing, and their reallocs as reallocs of nothing.
 *
 * A forked child counts nothing. */
#define _GNU_SOURCE
#include "lib/run/attach.h"

#include "lib/base/local.h"
#include "lib/base/os.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/calls/interpose.h"
#include "lib/collect/collect.h"
#include "lib/count/change.h"
#include "lib/count/peak.h"
#include "lib/count/sums.h"
#include "lib/count/threads.h"
#include "lib/heap/shadow.h"
#include "lib/heap/underlying.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/store/store.h"
#include "root.h"

#include <pthread.h>
#include <string.h>

static void leave_in_child(void) {
    runtime_off = true;
    runtime_pairs = false;
    runtime_state = ROOT_IS_OFF;
}

static const char *attach_first(const char *options) {
    const char *why = underlying_is_sanitizers() ? "has a heap that a sanitizer serves" : attach_begin();
    if (why)
        return why;
    options_give(options);
    runtime_start();
    runtime_attached = ROOT_LEFT;
    pthread_atfork(NULL, NULL, leave_in_child);
    return NULL;
}

/* The blocks that were live at the end of the last time are unknown now. Counts them as released, before the
 * counters are reset. */
static void slot_release_all(uint32_t slot) {
    struct sum sum;
    struct counters counters;
    sum_slot(slot, &sum);
    sum_counters(&counters, &sum);
    for (int64_t left = (int64_t)counters.live_blocks; left > 0; left--) {
        uint64_t bytes = left > 1 ? 0 : counters.live_bytes;
        change_lose((struct share){.slot = slot, .bytes = bytes});
    }
}

/* Counts from zero again. */
static const char *attach_again(const char *options) {
    if (strcmp(options, options_given(OPTIONS_OF_ENVIRONMENT)) != 0)
        return "was attached before with other options, which it keeps until it ends";
    for (uint32_t slot = 1; slot < record_count(); slot++)
        if (record_at(slot) && slot_is_in_totals(slot))
            slot_release_all(slot);
    counters_reset();
    return NULL;
}

/* The stacks of threads that were started before are of unknown size. */
static void note_threads(void) {
    stack_note_thread(1);
    if (os_threads() > 1)
        peak_several_threads();
}

const char *run_attach(const char *options) {
    bool was_silent = silence_begin();
    const char *why = runtime_off                         ? "was forked by a process while that was counted"
                      : runtime_attached == ROOT_NOT_LATE ? "has the runtime since its start"
                      : runtime_attached == ROOT_ATTACHED ? "is counted by another allocsite-run"
                      : runtime_attached == ROOT_WAITS    ? attach_first(options)
                                                          : attach_again(options);
    if (!why && runtime_state != ROOT_HAS_FILE)
        why = "cannot be counted: the kernel gives it no memory file";
    if (!why) {
        runtime_attached = ROOT_ATTACHED;
        note_threads();
        attach_turn(false);
        instrumented_note();
        interpose_find_all();
        store_header()->begun = os_now();
        threads_start();
    }
    silence_end(was_silent);
    return why;
}

void run_detach(void) {
    bool was_silent = silence_begin();
    threads_pause(true);
    attach_turn(true);
    collect_end(store_header());
    runtime_attached = ROOT_LEFT;
    silence_end(was_silent);
}

void run_leave(void) {
    shadow_forget();
}
