/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report at exit: collecting it from the slabs and getting it to where it shall go. */
#define _GNU_SOURCE
#include "lib/tell/exit.h"

#include "lib/base/descriptors.h"
#include "lib/base/local.h"
#include "lib/who/modules.h"

#include "base/path.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/count/torn.h"
#include "lib/heap/next.h"
#include "lib/store/store.h"
#include "lib/tell/collect.h"
#include "lib/tell/profiling.h"
#include "lib/tell/report_now.h"
#include "lib/who/instrumented.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_path(const char *pattern, uint32_t number) {
    char path[PATH_MAX], numbered[PATH_MAX];
    const char *why = strerrordesc_np(ENAMETOOLONG);
    bool fits = strlen(pattern) < sizeof numbered - 16;
    strcpy(numbered, fits ? pattern : "");
    if (number)
        path_add_number(numbered, sizeof numbered, number);
    int fd = fits ? report_open(path, sizeof path, numbered, &why) : -1;
    if (fd < 0)
        os_say("no report in ", fits ? path : pattern, ": ", why);
    return fd;
}

int report_descriptor(uint32_t number) {
    const char *report = runtime_options()->report;
    if (strcmp(report, "none") == 0)
        return -1;
    if (strcmp(report, "stderr") == 0)
        return descriptor_standard(STDERR_FILENO);
    if (strcmp(report, "stdout") == 0)
        return descriptor_standard(STDOUT_FILENO);
    return open_path(report, number);
}

void report_descriptor_close(int fd) {
    if (!descriptor_is_standard(fd))
        os_close(fd);
}

/* Reports once: quick_exit and exit may both be on the way. */
static void report_at_exit(void) {
    static bool reported;
    const struct options *options = runtime_options();
    if (reported)
        return;
    reported = true;
    int fd = report_descriptor(0);
    if (fd < 0)
        return;
    int error = report_write_now(fd, options->format, true);
    if (error)
        os_say("the report is not complete: ", strerrordesc_np(error));
    report_descriptor_close(fd);
}

static void end(void) {
    runtime_start();
    if (runtime_off)
        return;
    instrumented_note();
    torn_look();
    report_at_exit();
    if (store_is_file())
        collect_holes(store_header());
    profiling_end();
    store_look_for_file();
}

static void handler(void *unused) {
    (void)unused;
    end();
}

extern int __cxa_at_quick_exit(void (*)(void *), void *);

#ifdef ALLOCSITE_STATIC

/* Run in falling order of the section's name: behind every other destructor of the program. */
__attribute__((section(".fini_array.00000"), used)) static void (*const last_destructor)(void) = end;

void exit_install(void) {
    __cxa_at_quick_exit(handler, NULL);
}

#else

extern int __cxa_atexit(void (*)(void *), void *, void *);

static bool is_installed;

/* Handlers run in reverse order, and before the program's entry nothing else has registered one, not even the
 * dynamic loader's own, which runs the destructors of all modules: so this one comes after them. A null
 * handle keeps it from being taken for a handler of this library, which would run with the library's
 * destructors. */
void exit_install(void) {
    const struct module *own = module_of(&is_installed);
    if (!own || !own->permanent)
        return;
    bool was_silent = silence_begin();
    is_installed = __cxa_atexit(handler, NULL, NULL) == 0;
    __cxa_at_quick_exit(handler, NULL);
    silence_end(was_silent);
}

/* A sanitized program may have come to its end without a start. */
void exit_now(void) {
    runtime_start();
    if (!runtime_off)
        next_resolve();
    end();
}

/* Loaded with dlopen: what the loader destroys after this library is in no report. */
__attribute__((destructor)) static void destroy(void) {
    if (is_installed)
        return;
    exit_now();
}

#endif

/* ---- A report at a signal, whatever the program is doing: nothing here takes a lock that it could hold, or
 * more of its stack than a few hundred bytes.
 */

/* A report needs some 20 KiB; threads may have stacks of 16. */
#define STACK_SIZE ((size_t)256 << 10)

/* Wiped by fork: a child does not go on with what its parent was at. */
struct state {
    bool is_writing, is_wanted_again;
    uint32_t reports;
};

static struct state *state;
static char *stack;

static void write_one(void) {
    uint32_t number = __atomic_add_fetch(&state->reports, 1, __ATOMIC_RELAXED);
    int fd = report_descriptor(number);
    if (fd < 0)
        return;
    int error = report_write_now(fd, runtime_options()->format, false);
    if (error)
        os_say("the report is not complete: ", strerrordesc_np(error));
    report_descriptor_close(fd);
}

/* While one is written, any number of signals are one more. */
static void write_all(void) {
    do {
        __atomic_store_n(&state->is_wanted_again, false, __ATOMIC_SEQ_CST);
        write_one();
    } while (__atomic_load_n(&state->is_wanted_again, __ATOMIC_SEQ_CST));
}

static void handle(int number) {
    int error = errno;
    (void)number;
    __atomic_store_n(&state->is_wanted_again, true, __ATOMIC_SEQ_CST);
    /* Once more, for a signal that came when the writing was all but over. */
    while (__atomic_load_n(&state->is_wanted_again, __ATOMIC_SEQ_CST) &&
           !__atomic_exchange_n(&state->is_writing, true, __ATOMIC_SEQ_CST)) {
        os_call_on_stack(stack + STACK_SIZE, write_all);
        __atomic_store_n(&state->is_writing, false, __ATOMIC_SEQ_CST);
    }
    errno = error;
}

void signal_report_begin(int number) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    stack = os_map(STACK_SIZE, OS_FORK_KEEPS);
    state = os_map(sizeof *state, OS_FORK_WIPES);
    sigemptyset(&action.sa_mask);
    if (!stack || !state || sigaction(number, &action, NULL) != 0)
        os_say("no report at the signal: ", strerrordesc_np(stack && state ? errno : ENOMEM));
}
