/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Forks in a signal handler after each instruction of a malloc, a realloc and a free in turn, or after each STRIDE of
 * them. The child continues from there, in the middle of an event that is being counted.
 *
 *     stepped STRIDE */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRAP_FLAG 0x100 /* CPU flag: a SIGTRAP after each instruction */

static volatile long stepped, target;
static volatile bool is_child;
static volatile int failed;
static void *volatile sink;

/* Both continue without stopping, because the runtime holds signals where it reads twice. */
static void step(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    if (stepped++ != target)
        return;
    pid_t child = fork();
    int status = 0;
    is_child = child == 0;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
    if (child && (waitpid(child, &status, 0) != child || status != 0))
        failed++;
}

#define CHANGE(instruction, bits)                                                                            \
    __asm__ volatile("subq $128, %%rsp; pushfq; " instruction " %0, (%%rsp); popfq; addq $128, %%rsp"        \
                     :                                                                                       \
                     : "i"(bits)                                                                             \
                     : "memory", "cc")

static void events(void) {
    sink = malloc(40);
    sink = realloc(sink, 3000);
    free(sink);
}

int main(int count, char **arguments) {
    if (count != 2)
        return 2;
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    events();
    for (bool reached = true; reached && !is_child; target += atol(arguments[1])) {
        stepped = 0;
        CHANGE("orq", TRAP_FLAG);
        events();
        CHANGE("andq", ~TRAP_FLAG);
        reached = stepped > target;
    }
    events();
    if (is_child)
        exit(0);
    puts(failed ? "failed" : "done");
    return 3;
}
