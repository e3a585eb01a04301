/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* handlers HOW: a coroutine allocates on paths that are new to the runtime, while signals interrupt it. The
 * handler also allocates, and then returns, leaves by a jump, forks, or switches to another coroutine and returns
 * later. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define KEEP_APART __attribute__((noinline))

static sigjmp_buf start;
static char how;
static volatile sig_atomic_t signals, switched;
static volatile sig_atomic_t can_jump; /* the frame to jump to exists */
static int most;                       /* signals */
static void *volatile sink;
static ucontext_t scheduler, first, interrupted, other;
static char stack_of_first[64 << 10], stack_of_other[64 << 10], stack_of_handler[64 << 10];

/* A path that rarely repeats: each bit of the number selects one of two calls. */
KEEP_APART static void left(unsigned path, int depth);
KEEP_APART static void right(unsigned path, int depth);

static inline void go_on(unsigned path, int depth) {
    if (!depth)
        free(sink = malloc(path % 15 + 1));
    else if (path & 1)
        left(path >> 1, depth - 1);
    else
        right(path >> 1, depth - 1);
    __asm__ volatile("");
}

KEEP_APART static void left(unsigned path, int depth) {
    go_on(path, depth);
}

KEEP_APART static void right(unsigned path, int depth) {
    go_on(path, depth);
}

static unsigned random_path(void) {
    static unsigned seed = 1;
    return seed = seed * 1103515245 + 12345;
}

static void fork_and_wait(void) {
    int status, child = fork();
    if (!child) {
        left(random_path() >> 8, 6);
        syscall(SYS_exit_group,
                0); /* avoids the runtime, because an exit in a handler makes a report inexact */
    }
    if (waitpid(child, &status, 0) != child || status)
        _exit(1);
}

static void handle(int number) {
    (void)number;
    left(random_path() >> 8, 5);
    signals++;
    if (how == 'j' && signals % 2 && can_jump)
        siglongjmp(start, 1);
    if (how == 'f' && signals % 16 == 0)
        fork_and_wait();
    if (how == 's' && !switched) {
        switched = 1;
        swapcontext(&interrupted, &other);
        switched = 0;
    }
}

static void run_other(void) {
    for (;;) {
        for (int i = 0; i < 20; i++)
            right(random_path() >> 8, 10);
        swapcontext(&other, &interrupted);
    }
}

static void signals_block(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

/* Signals arrive only here and in run_other: on a busy machine they would also arrive in main. */
static void run_first(void) {
    sigset_t none;
    sigsetjmp(start, 0); /* otherwise signals could arrive before the jump has left the last handler's frames */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    can_jump = 1;
    while (signals < most)
        right(random_path() >> 4, 12);
    can_jump = 0;
    signals_block();
}

static void make(ucontext_t *coroutine, char *stack, size_t size, void (*function)(void)) {
    getcontext(coroutine);
    coroutine->uc_stack = (stack_t){.ss_sp = stack, .ss_size = size};
    coroutine->uc_link = &scheduler;
    makecontext(coroutine, function, 0);
}

static void tick(int microseconds) {
    setitimer(ITIMER_REAL, &(struct itimerval){{0, microseconds}, {0, microseconds}}, NULL);
}

int main(int count, char **arguments) {
    (void)count;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    how = arguments[1][0];
    most = how == 'f' ? 300 : 2000;
    if (arguments[1][1] == 'a') {
        action.sa_flags |= SA_ONSTACK;
        sigaltstack(&(stack_t){.ss_sp = stack_of_handler, .ss_size = sizeof stack_of_handler}, NULL);
    }
    make(&other, stack_of_other, sizeof stack_of_other, run_other);
    signals_block();
    make(&first, stack_of_first, sizeof stack_of_first, run_first);
    sigaction(SIGALRM, &action, NULL);
    right(random_path(), 12);
    tick(300);
    swapcontext(&scheduler, &first);
    tick(0);
    puts("done");
    return 3;
}
