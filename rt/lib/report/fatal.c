/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Signals that end the process (option fatal). */
#define _GNU_SOURCE
#include "lib/report/report.h"

#include "lib/base/state.h"
#include "lib/paths/stacks.h"
#include "lib/store/store.h"

#include <signal.h>
#include <stddef.h>

/* All signals that end a process and can be handled, except those that programs often send to themselves. */
static const int fatal[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
                            SIGSEGV, SIGPIPE, SIGALRM, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS};

/* A fault recurs when the handler returns, now without a handler; a core dump shows the instruction. */
static bool comes_again(const siginfo_t *info) {
    bool is_fault = info->si_signo == SIGSEGV || info->si_signo == SIGBUS || info->si_signo == SIGFPE ||
                    info->si_signo == SIGILL;
    return is_fault && info->si_code > 0;
}

static void note_stack(void) {
    profile_name stack = stack_interrupted();
    store_header()->ended_at = stack;
}

/* SA_RESETHAND has restored the default action. */
static void report_and_end(int number, siginfo_t *info, void *context) {
    (void)context;
    if (!runtime_off)
        note_stack();
    exit_by_signal(number);
    if (!comes_again(info))
        raise(number);
}

void signal_fatal_begin(void) {
    struct sigaction before,
        note = {.sa_sigaction = report_and_end, .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_ONSTACK)};
    sigemptyset(&note.sa_mask);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (sigaction(fatal[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
            before.sa_handler == SIG_DFL)
            sigaction(fatal[i], &note, NULL);
}
