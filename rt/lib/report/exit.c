/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reports at exit and at a signal: when they are written, and where to. */
#define _GNU_SOURCE
#include "lib/report/look.h"
#include "lib/report/reader.h"
#include "lib/report/report.h"

#include "lib/base/local.h"
#include "lib/base/os.h"
#include "lib/base/stack.h"
#include "lib/registry/modules.h"

#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/collect/collect.h"
#include "lib/collect/profiling.h"
#include "lib/count/sums.h"
#include "lib/count/threads.h"
#include "lib/heap/underlying.h"
#include "lib/paths/stacks.h"
#include "lib/store/store.h"
#include "lib/walk/walk.h"
#include "root.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns 0, or an error that was reported. */
static int report_write_file(const char *pattern, uint32_t number) {
    struct report_file file;
    const char *why;
    int error = report_path_open(&file, pattern, number, &why);
    if (!error) {
        error = reader_run(&(struct reader_call){.out = file.fd, .is_end = !number}, &why);
        int closed = number ? report_file_close(&file, error) : report_path_close(&file, error);
        why = error ? why : strerrordesc_np(closed);
        error = closed;
    }
    if (error && (number || !report_path_is_reported()))
        os_say("no report in ", file.path, ": ", why);
    return error;
}

static void report_write_to(int fd, bool is_end) {
    const char *why;
    if (os_may_write(fd) && reader_run(&(struct reader_call){.out = fd, .is_end = is_end}, &why) != 0)
        fallback_write(fd, why);
}

/* number: of the report; 0: the one at exit. Falls back to standard error. */
static void report_write(uint32_t number) {
    const char *report = runtime_options()->report;
    bool is_stdout = strcmp(report, "stdout") == 0;
    if (strcmp(report, "none") == 0 || (report_path_is_wanted() && report_write_file(report, number) == 0))
        return;
    report_write_to(descriptor_standard(is_stdout ? STDOUT_FILENO : STDERR_FILENO), !number);
}

/* A process reports once, although exit, quick_exit and _exit may follow each other or run in two threads at
 * once. A forked child is another process. */
struct once {
    int32_t holder;
    bool is_done;
};

static struct table onces = {.element = sizeof(struct once), .first = 1, .fork = OS_FORK_WIPES};

/* Returns NULL if this process has reported, or if this thread is reporting and was interrupted by a signal
 * handler. Waits for another thread's report, because it would be cut short if the process ended now. */
static struct once *once_begin(void) {
    static struct once without_memory;
    struct once *made = table_at(&onces, 0), *once = made ? made : &without_memory;
    if (os_lock(&once->holder) != 0)
        return NULL;
    if (!once->is_done)
        return once;
    os_unlock(&once->holder);
    return NULL;
}

static void once_end(struct once *once) {
    once->is_done = true;
    os_unlock(&once->holder);
}

static void signals_check(void);

/* by_itself: the process is not ended by a signal. */
static void report_once(bool by_itself) {
    struct once *once = once_begin();
    if (!once)
        return;
    signals_check();
    if (!os_loader_may_block() && instrumented_note())
        rebind_look();
    torn_look();
    collect_end(store_header());
    if (runtime_options()->reach)
        leaks_find(store_header());
    if (by_itself && runtime_options()->maps)
        resident_find(store_header());
    if (by_itself)
        profiling_end();
    report_write(0);
    if (snapshot_is_wanted())
        snapshot_write_wanted(0);
    store_look_for_file();
    once_end(once);
}

STACK_CALL(void, exit_end, void) {
    runtime_start();
    if (runtime_off || runtime_is_asleep())
        return;
    report_once(true);
    profiling_end();
}

/* A child of vfork ends in its parent's memory. A forked child that has counted nothing, such as one that
 * failed to execute another program, has nothing to report. */
static bool is_counted_process(void) {
    int32_t process = os_process();
    return process == runtime_process || threads_count_for(process);
}

/* A handler with deeper calls is not recognized. */
#define HANDLER_FRAMES 64

static bool is_in_handler(void) {
    const void *frames[HANDLER_FRAMES];
    enum walk_end unused;
    size_t count = walk_stack(frames, HANDLER_FRAMES, &unused);
    for (size_t i = 0; i < count; i++)
        if (walk_is_signal(frames[i]))
            return true;
    return false;
}

/* A handler may end a process whose memory is damaged, where a report could hang or crash. */
static void report_say_none(void) {
    struct once *once = runtime_is_asleep() ? NULL : once_begin();
    const char *path = store_path();
    if (!once)
        return;
    if (strcmp(runtime_options()->report, "none") == 0)
        ;
    else if (path)
        report_say("no report: the program called _exit in a signal handler; its counts are in ", path,
                   ", and fatal=1 reports there too");
    else
        report_say("no report: the program called _exit in a signal handler, where only fatal=1 reports; "
                   "profile=PATH keeps the counts of every end");
    once_end(once);
}

/* Returns the status to exit with: exitcode if there are leaks, as in LeakSanitizer. */
static int exit_status(int status) {
    uint64_t code = runtime_off ? 0 : runtime_options()->exitcode;
    return code && reader_found_leaks() ? (int)code : status;
}

int exit_at_once(int status) {
    if (runtime_off || !is_counted_process())
        return status;
    profiling_note_at_once(status);
    if (runtime_options()->fatal || !is_in_handler()) {
        exit_end();
        return exit_status(status);
    }
    torn_look();
    report_say_none();
    profiling_end();
    return status;
}

STACK_CALL(void, exit_report, void) {
    if (!runtime_is_asleep())
        report_once(false);
}

void exit_by_signal(int number) {
    if (runtime_off || !is_counted_process())
        return;
    profiling_note(PROFILE_SIGNAL, number);
    exit_report();
}

/* Writes the program's buffered output before the report, without waiting for a lock. The C library still
 * reports a failed write at its later flush. */
static void flush_output(void) {
    struct os_writing before;
    bool was_silent = silence_begin();
    os_writing_begin(&before);
    if (ftrylockfile(stdout) == 0) {
        fflush_unlocked(stdout);
        funlockfile(stdout);
    }
    os_writing_end(&before);
    silence_end(was_silent);
}

/* frame: of the function that the C library has called. */
static void end_at_exit(const void *frame) {
    look_note_exit(frame);
    if (!runtime_off && !report_path_is_wanted())
        flush_output();
    exit_end();
    int status = exit_status(0);
    if (status)
        exit(status); /* glibc continues with the remaining handlers, flushes the streams and ends the process
                       */
}

/* quick_exit flushes nothing and does not pass its status. */
static void exit_handler(void *is_exit) {
    if (is_exit) {
        end_at_exit(__builtin_frame_address(0));
        return;
    }
    profiling_note(PROFILE_QUICK_EXIT, 0);
    look_note_exit(__builtin_frame_address(0));
    exit_end();
    int status = exit_status(0);
    if (status)
        syscall(SYS_exit_group, status);
}

static void note_exit(int status, void *unused) {
    (void)unused;
    if (!runtime_off)
        profiling_note(PROFILE_EXIT, status);
}

extern int __cxa_at_quick_exit(void (*)(void *), void *);

#ifdef ALLOCSITE_STATIC

static void end_last(void) {
    end_at_exit(__builtin_frame_address(0));
}

/* Destructors run in descending order of the section's name, so this one runs last. */
__attribute__((section(".fini_array.00000"), used)) static void (*const last_destructor)(void) = end_last;

void exit_install(void) {
    __cxa_at_quick_exit(exit_handler, NULL);
}

/* A constructor, because the C library's handler that runs the destructors must be registered first. */
__attribute__((constructor)) static void install_note(void) {
    on_exit(note_exit, NULL);
}

#else

extern int __cxa_atexit(void (*)(void *), void *, void *);

static bool is_installed;

/* Handlers run in reverse order. No other handler is registered yet, not even the dynamic loader's, which
 * runs the destructors of all modules. So this handler runs after them. The DSO
 * handle is missing because the handler would otherwise run with this library's destructors. */
void exit_install(void) {
    const struct module *runtime_module = module_of(&is_installed);
    if (!runtime_module || !runtime_module->permanent)
        return;
    bool was_silent = silence_begin();
    is_installed = __cxa_atexit(exit_handler, &is_installed, NULL) == 0;
    on_exit(note_exit, NULL);
    __cxa_at_quick_exit(exit_handler, NULL);
    silence_end(was_silent);
}

/* A sanitizer may end the process before the runtime has started. */
void exit_now(void) {
    runtime_start();
    if (!runtime_off)
        underlying_resolve();
    exit_end();
}

/* For a library opened with dlopen. The loader's later destructors are then not in the report. */
__attribute__((destructor)) static void exit_destroy(void) {
    if (is_installed || runtime_attached == ROOT_WAITS || runtime_attached == ROOT_LEFT)
        return;
    exit_now();
}

#endif

/* ---- A report at a signal, in whatever state the program is: nothing here waits for a lock that it could
 * hold, or takes more than a few hundred bytes of its stack. */

/* Wiped by fork: a child does not continue its parent's report. */
struct state {
    bool is_writing, is_wanted_again;
    uint32_t reports;
};

static struct state *state;

/* Any number of signals during a report cause one more. */
STACK_CALL(void, signal_report_write, void) {
    do {
        __atomic_store_n(&state->is_wanted_again, false, __ATOMIC_SEQ_CST);
        uint32_t number = __atomic_add_fetch(&state->reports, 1, __ATOMIC_RELAXED);
        report_write(number);
        if (snapshot_is_wanted())
            snapshot_write_wanted(number);
    } while (__atomic_load_n(&state->is_wanted_again, __ATOMIC_SEQ_CST));
}

static void signal_report_handle(int number) {
    int error = errno;
    (void)number;
    __atomic_store_n(&state->is_wanted_again, true, __ATOMIC_SEQ_CST);
    /* Repeated for a signal that arrived at the very end of the report. */
    while (__atomic_load_n(&state->is_wanted_again, __ATOMIC_SEQ_CST) &&
           !__atomic_exchange_n(&state->is_writing, true, __ATOMIC_SEQ_CST)) {
        signal_report_write();
        __atomic_store_n(&state->is_writing, false, __ATOMIC_SEQ_CST);
    }
    errno = error;
}

static int signal_install(int number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0 ? 0 : errno;
}

void signal_report_begin(int number) {
    state = os_map(sizeof *state, OS_FORK_WIPES);
    int error = state ? signal_install(number, signal_report_handle) : ENOMEM;
    if (error)
        os_say("no report at the signal: ", strerrordesc_np(error));
}

static void signal_start_handle(int number) {
    (void)number;
    if (threads_are_paused())
        threads_start();
    else
        threads_pause(true);
}

void signal_start_begin(int number) {
    int error = signal_install(number, signal_start_handle);
    if (error)
        os_say("no start at the signal: ", strerrordesc_np(error));
}

static bool signal_is_replaced(int number, void (*handler)(int)) {
    struct sigaction now;
    return number && sigaction(number, NULL, &now) == 0 && now.sa_handler != handler;
}

static void signals_check(void) {
    const struct run_options *options = runtime_options();
    if (state && !state->reports && signal_is_replaced(options->signal, signal_report_handle))
        os_say("no report at the signal: ", "the program has a handler of its own for it");
    if (signal_is_replaced(options->signal_start, signal_start_handle))
        os_say("no start at the signal: ", "the program has a handler of its own for it");
}
