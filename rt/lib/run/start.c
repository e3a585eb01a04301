/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts the runtime: options, the off switch, and the accuracy gaps. */
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
#include "lib/heap/mappings.h"
#include "lib/heap/shadow.h"
#include "lib/heap/underlying.h"
#include "lib/hook/fail.h"
#include "lib/hook/hook.h"
#include "lib/paths/stacks.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"
#include "lib/report/reader.h"
#include "lib/report/report.h"
#include "lib/run/attach.h"
#include "lib/store/store.h"
#include "root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ALLOCSITE_STATIC

/* ---- Callbacks of a sanitizer that serves the heap: for frees without a site, and for its own way to end
 * the process. Sanitizers allow their registration before they have set themselves up. */

extern int install_hooks(void (*)(const volatile void *, size_t),
                         void (*)(const volatile void *)) __asm__("__sanitizer_install_malloc_and_free_hooks")
    __attribute__((weak));
extern void set_death_callback(void (*)(void)) __asm__("__sanitizer_set_death_callback")
    __attribute__((weak));

static void allocation_ignore(const volatile void *p, size_t size) {
    (void)p;
    (void)size;
}

/* The block of a sited free was removed before. */
static void free_note(const volatile void *p) {
    if (shadow_find((const void *)p).state == BLOCK_LIVE)
        acct_free((void *)p, (struct origin){.site = NULL}, FAMILY_ANY);
}

/* Registers two callbacks: for every free, and for the end of the process after an error that the sanitizer
 * has found, because then no destructor runs. */
static void sanitized_begin(void) {
    if (install_hooks)
        install_hooks(allocation_ignore, free_note);
    if (set_death_callback)
        set_death_callback(exit_now);
}

#else

/* Programs refer to the interface weakly, which links nothing from an archive. These references do. */
extern const char api_is_linked, check_is_linked;
static const char *const interface[] __attribute__((used)) = {&api_is_linked, &check_is_linked};

/* not visible in a static program */
#define may_be_started() false

#endif

enum { NOT_STARTED, STARTING, STARTED };
/* A report of 10,000 sites takes 10 MiB. The reserve is used only when there is no other
 * memory. */
#define RESERVE        ((size_t)32 << 20)
#define RESERVE_OF_ALL 16

/* If the address space is limited, the reserve is a small part of it. */
static size_t reserve_size(void) {
    uint64_t all = os_address_space() / RESERVE_OF_ALL;
    return all < RESERVE ? all & ~(uint64_t)0xFFFF : RESERVE;
}

static int state;
static const struct local *starter; /* the thread that starts the runtime */

/* Returns the number of frames to keep. Whole stacks have the frames that reports show. */
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

static COLD void start_run(void) {
    int error = errno;
    runtime_attached = ROOT_NOT_LATE;
    runtime_process = os_process();
    os_note_standard();
    options_read();
    reader_begin();
    const struct run_options *options = runtime_options();
    runtime_off = !options->enabled && !options->signal_start && !may_be_started();
    runtime_state = runtime_off ? ROOT_IS_OFF : ROOT_NOT_STARTED;
    runtime_owners = options->owners;
    if (!runtime_owners)
        gap_set(GAP_UNOWNED);
    sizes_wanted = options->sizes;
    births_wanted = options->lifetime && options->owners;
    runtime_pairs = options->pairs && !runtime_off;
    runtime_temporary = options->temporary;
    if (sizes_wanted || births_wanted || runtime_temporary)
        thread_show(); /* updates the views, because an event may have been counted before */
    shadow_show();
    if (!runtime_off) {
        os_fork_watch();
        os_reserve(reserve_size());
        store_header()->begun = os_now();
        stacks_begin(stacks_wanted(options), options->contexts_check);
        if (options->maps && !mappings_begin())
            gap_set(GAP_MEMORY);
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
            os_say("option ignored: break=", options->break_at, ": not of the form SITE:N");
        if (options_fail(options) && !fail_begin(options->fail))
            os_say("option ignored: fail=", options->fail, ": not of the form SITE[:N]");
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

static bool start_try(void) {
    int nobody = NOT_STARTED;
    if (!__atomic_compare_exchange_n(&state, &nobody, STARTING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return false;
    __atomic_store_n(&starter, &local, __ATOMIC_RELEASE);
    start_run();
    return true;
}

/* Waits until another thread has started the runtime, because nothing may be counted before the options are
 * known; allocations of the starting thread are let through. Blocks signals: if a handler jumped away, or the
 * thread were cancelled, all others would wait for ever. */
static COLD void start_or_wait(void) {
    uint64_t signals = os_signals_hold();
    bool is_done = start_try();
    os_signals_release(signals);
    for (uint32_t tries = 1; !is_done && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STARTING &&
                             __atomic_load_n(&starter, __ATOMIC_ACQUIRE) != &local;
         tries++)
        os_wait(tries);
}

/* A thread that holds an arena's lock would wait for itself, so it leaves the reset to another thread or to
 * its next event. */
static COLD void reset_if_requested(void) {
    int error = errno;
    if (!local.holds_arena && threads_take_request(PROFILE_RESET))
        counters_reset();
    errno = error;
}

void runtime_start(void) {
    if (LIKELY(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == STARTED)) {
        if (UNLIKELY(threads_are_asked()))
            reset_if_requested();
        if (UNLIKELY(profiling_here && !*profiling_here))
            profiling_begin_child();
        return;
    }
    /* Events are counted before the C library has set up the environment, from which the options are read. */
    if (environ)
        start_or_wait();
}

/* ---- Constructors. They start the runtime before the program's code runs, even if the program never
 * allocates. So the report shows an allocator that precedes the runtime. */
#ifndef ALLOCSITE_STATIC

/* Redirects references to the variant of the functions that the options need, if there is one. */
static void redirect_to_variants(void) {
    if (!runtime_owners)
        bypass_frees();
    else if (sizes_wanted && !births_wanted && !runtime_temporary && !stacks_depth)
        redirect_for_sizes();
}

/* Opened by dlopen, and no module calls the runtime yet: its first call starts it, or an attachment. */
static bool is_to_wait(void) {
    bool is_to_wait = !instrumented_exist() && !module_of(&state)->permanent;
    if (is_to_wait)
        runtime_attached = ROOT_WAITS;
    return is_to_wait;
}

/* Runs before the runtime's other constructors, because these look up functions that rebind redirects.
 *
 * The library is linked with -z initfirst, because allocations of other constructors do not reach the runtime
 * before rebind. So this runs even before the C library has set up the environment; the value set here is the
 * same. */
__attribute__((constructor(101))) static void start_construct(int count, char **arguments,
                                                              char **environment) {
    (void)count;
    (void)arguments;
    bool is_first = !environ;
    if (underlying_is_sanitizers())
        sanitized_begin();
    if (is_first && underlying_is_sanitizers())
        return; /* the first sited call or the destructor starts the runtime */
    if (is_first)
        environ = environment;
    else if (is_to_wait())
        return;
    runtime_start();
    if (runtime_off && is_first)
        bypass_all();
    if (runtime_off)
        return;
    rebind_heap(is_first);
    underlying_resolve();
    rebind_libc();
    if (is_first && !rebind_is_done())
        redirect_to_variants();
    instrumented_note();
}

#else

__attribute__((constructor)) static void start_construct(void) {
    runtime_start();
    if (!runtime_off)
        underlying_resolve();
}

#endif

/* ---- The data by which allocsite-dump finds the runtime in the memory of the process. */

#ifdef ALLOCSITE_STATIC
#define FLAGS            ROOT_IS_STATIC
#define ATTACH(function) NULL
#else
#define FLAGS            0
#define ATTACH(function) ((const void *)(uintptr_t)(function))
#endif

/* collect/collect.c refers to it in an ELF note. */
extern const struct root allocsite_root;

const struct root allocsite_root = {
    .version = ROOT_VERSION,
    .flags = FLAGS,
    .state = &runtime_state,
    .areas = &store_areas_given,
    .heap = &root_heap,
    .runtime_spans = &root_runtime_spans,
    .registered = &root_registered,
    .mappings = &root_mappings,
    .malloc = &underlying.malloc,
    .attached = &runtime_attached,
    .attach = ATTACH(run_attach),
    .detach = ATTACH(run_detach),
    .leave = ATTACH(run_leave),
};
