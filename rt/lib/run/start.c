/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starting up: options, the off switch, and the holes in what is counted. */
#define _GNU_SOURCE
#include "lib/acct/acct.h"
#include "lib/allocsite.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/calls/interpose.h"
#include "lib/collect/collect.h"
#include "lib/collect/profiling.h"
#include "lib/count/change.h"
#include "lib/count/threads.h"
#include "lib/heap/next.h"
#include "lib/heap/shadow.h"
#include "lib/hook/hook.h"
#include "lib/paths/stacks.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/report/reader.h"
#include "lib/report/report.h"
#include "lib/store/store.h"
#include "root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ALLOCSITE_STATIC

/* ---- What a sanitizer that serves the heap tells: blocks that go without passing a site, and its own end of
 * the process. Both are told to it before it has set itself up, which it allows. */

extern int install_hooks(void (*)(const volatile void *, size_t),
                         void (*)(const volatile void *)) __asm__("__sanitizer_install_malloc_and_free_hooks")
    __attribute__((weak));
extern void set_death_callback(void (*)(void)) __asm__("__sanitizer_set_death_callback")
    __attribute__((weak));

static void ignore(const volatile void *p, size_t size) {
    (void)p;
    (void)size;
}

/* A free that passed a site has taken the block out before. */
static void see_free(const volatile void *p) {
    if (shadow_find((const void *)p).state == BLOCK_LIVE)
        acct_free((void *)p, (struct origin){.site = NULL}, FAMILY_ANY);
}

/* Has the sanitizer tell of every free, and of the end of a process in which it has found something, at which
 * no destructor runs. */
static void sanitized_begin(void) {
    if (install_hooks)
        install_hooks(ignore, see_free);
    if (set_death_callback)
        set_death_callback(exit_now);
}

#else

/* Programs refer to the interface weakly, which takes nothing out of an archive. */
extern const char api_is_linked, check_is_linked;
static const char *const interface[] __attribute__((used)) = {&api_is_linked, &check_is_linked};

/* It does not show in a static program. */
#define may_be_started() false

#endif

enum { NOT_STARTED, STARTING, STARTED };
/* A report of 10,000 sites takes 10 MiB. Nothing of it is touched as long as there is memory. */
#define RESERVE        ((size_t)32 << 20)
#define RESERVE_OF_ALL 16

/* Of a limited address space the program is not to miss much. */
static size_t reserve_size(void) {
    uint64_t all = os_address_space() / RESERVE_OF_ALL;
    return all < RESERVE ? all & ~(uint64_t)0xFFFF : RESERVE;
}

static int state;
static const struct local *starter; /* the thread's, while it is STARTING */

/* Frames. Whole stacks have those that reports show. */
static uint32_t stacks_wanted(const struct run_options *options) {
    if (!options->contexts || !options->owners)
        return (uint32_t)options->stack;
    part_stacks_limit(options->contexts);
    return STACKS_WHOLE;
}

static void print_keys(void) {
    const char *why;
    if (reader_run(&(struct reader_call){.out = STDERR_FILENO, .is_help = true}, &why) != 0)
        os_say("no report: ", why);
}

static COLD void start(void) {
    int error = errno;
    runtime_process = os_process();
    os_note_standard();
    options_read();
    reader_begin();
    const struct run_options *options = runtime_options();
    runtime_off = !options->enabled && !options->signal_start && !may_be_started();
    runtime_state = runtime_off ? ROOT_IS_OFF : ROOT_NOT_STARTED;
    runtime_owners = options->owners;
    if (!runtime_owners)
        hole_set(HOLE_UNOWNED);
    sizes_wanted = options->sizes;
    births_wanted = options->lifetime && options->owners;
    runtime_pairs = options->pairs && !runtime_off;
    runtime_temporary = options->temporary;
    if (sizes_wanted || births_wanted || runtime_temporary)
        thread_show(); /* out of sight, that is: something may have been counted before */
    shadow_show();
    if (!runtime_off) {
        os_fork_watch();
        os_reserve(reserve_size());
        store_header()->begun = os_now();
        stacks_begin(stacks_wanted(options), options->stack_sites, options->contexts_check);
        faults_begin();
        exit_install();
        profiling_begin(strcmp(options->profile, "none") != 0 ? options->profile : NULL);
        if (options->help)
            print_keys();
        if (options->fatal)
            signal_fatal_begin();
        if (report_path_is_wanted() || snapshot_is_wanted())
            report_path_begin();
        if (report_path_is_wanted())
            report_path_try(options->report);
        if (strcmp(options->hook, "none") != 0)
            hook_load_later(options->hook);
        if (strcmp(options->break_at, "none") != 0 && !hook_break(options->break_at))
            os_say("option ignored, break is not of the form SITE:N: ", options->break_at);
        if (options->signal)
            signal_report_begin(options->signal);
        if (options->stopped || options->signal_start || runtime_is_asleep())
            threads_pause(true);
        if (options->signal_start)
            signal_start_begin(options->signal_start);
    }
    __atomic_store_n(&state, STARTED, __ATOMIC_RELEASE);
    errno = error;
}

static bool try_to_start(void) {
    int nobody = NOT_STARTED;
    if (!__atomic_compare_exchange_n(&state, &nobody, STARTING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return false;
    __atomic_store_n(&starter, &local, __ATOMIC_RELEASE);
    start();
    return true;
}

/* Nothing is to be counted before the options say how; but what the thread itself does on the way. Signals
 * wait, for a handler that left by a jump, or a cancellation, would leave all others waiting. */
static COLD void start_or_wait(void) {
    uint64_t signals = os_signals_hold();
    bool is_done = try_to_start();
    os_signals_release(signals);
    for (uint32_t tries = 1; !is_done && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STARTING &&
                             __atomic_load_n(&starter, __ATOMIC_ACQUIRE) != &local;
         tries++)
        os_wait(tries);
}

/* A thread that holds the lock of an arena would wait for itself; another one, or its next event, comes. */
static COLD void reset_as_asked(void) {
    int error = errno;
    if (!local.holds_arena && threads_take_request(PROFILE_RESET))
        counters_reset();
    errno = error;
}

void runtime_start(void) {
    if (LIKELY(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == STARTED)) {
        if (UNLIKELY(threads_are_asked()))
            reset_as_asked();
        if (UNLIKELY(profiling_here && !*profiling_here))
            profiling_begin_child();
        return;
    }
    /* Before the C library has set up the environment there is nothing to read; it is counted meanwhile. */
    if (environ)
        start_or_wait();
}

/* At the latest before the program's own code, whether it allocates or not: what stands before us shows in
 * the report even if nothing has reached us. */
#ifndef ALLOCSITE_STATIC

/* Where there is one of its own for what is asked for. */
static void lead_to_hot_path(void) {
    if (!runtime_owners)
        step_aside_of_frees();
    else if (sizes_wanted && !births_wanted && !runtime_temporary && !stacks_depth)
        step_aside_for_sizes();
}

/* The other constructors here look up what rebind hides.
 *
 * The library is linked with -z initfirst, because allocations of other constructors come past us until
 * rebind. So this is even before the C library has set up the environment; it will set the same. */
__attribute__((constructor(101))) static void construct(int count, char **arguments, char **environment) {
    (void)count;
    (void)arguments;
    bool is_first = !environ;
    if (next_is_sanitizers())
        sanitized_begin();
    if (is_first && next_is_sanitizers())
        return; /* the first sited call starts us, or the destructor */
    if (is_first)
        environ = environment;
    runtime_start();
    if (runtime_off && is_first)
        step_aside();
    if (runtime_off)
        return;
    rebind(is_first);
    next_resolve();
    rebind_libc();
    if (is_first && !rebind_is_done())
        lead_to_hot_path();
    instrumented_note();
}

#else

__attribute__((constructor)) static void construct(void) {
    runtime_start();
    if (!runtime_off)
        next_resolve();
}

#endif

/* ---- Where allocsite-dump finds the runtime in the memory of the process. */

#ifdef ALLOCSITE_STATIC
#define FLAGS ROOT_IS_STATIC
#else
#define FLAGS 0
#endif

/* Named in collect/collect.c, by the note. */
extern const struct root allocsite_root;

const struct root allocsite_root = {
    .version = ROOT_VERSION,
    .flags = FLAGS,
    .state = &runtime_state,
    .areas = &store_areas_given,
    .heap = &root_heap,
    .own = &root_own,
    .registered = &root_registered,
    .malloc = &next.malloc,
};
