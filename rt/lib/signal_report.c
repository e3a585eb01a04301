/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report at a signal, whatever the program is doing: nothing here takes a lock that it could hold, or more
 * of its stack than a few hundred bytes. */
#define _GNU_SOURCE
#include "signal_report.h"
#include "exit.h"
#include "os.h"
#include "report_now.h"
#include "runtime.h"
#include "start.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

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
