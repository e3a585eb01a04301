/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler allocates while a child of fork counts its first event: before and after each system call
 * of it, in another child each. If the runtime blocks signals, the handler runs when it unblocks them. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile sink;

static void handle(int number) {
    (void)number;
    void *volatile p = malloc(1000);
    free(p);
}

static void first(void) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    sink = malloc(10);
    raise(SIGSTOP);
    free(sink);
    exit(0);
}

static bool is_stopped(pid_t child, int number) {
    int status;
    return waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == number;
}

/* Returns whether the child was still in the event at that stop. */
static bool interrupt(pid_t child, int stops) {
    int status;
    bool is_in = is_stopped(child, SIGSTOP);
    for (; is_in && stops; stops--) {
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
        is_in = is_stopped(child, SIGTRAP);
    }
    if (is_in) {
        kill(child, SIGUSR1);
        ptrace(PTRACE_CONT, child, NULL, NULL);
        while (is_stopped(child, SIGUSR1))
            ptrace(PTRACE_CONT, child, NULL, SIGUSR1);
    }
    ptrace(PTRACE_DETACH, child, NULL, NULL);
    if (waitpid(child, &status, 0) != child || status != 0)
        puts("failed");
    return is_in;
}

int main(void) {
    signal(SIGUSR1, handle);
    free(malloc(10));
    int children = 0;
    for (bool is_in = true; is_in; children++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (!child)
            first();
        is_in = interrupt(child, children);
    }
    puts(children > 20 ? "done" : "few system calls");
    return 3;
}
