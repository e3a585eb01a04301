/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Children that end without a report, and programs started in every possible way. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile sink;

static void allocate(int n) {
    for (int i = 0; i < n; i++)
        sink = malloc(10); /* @ 4 40 0 0 0 */
}

static void wait_for(pid_t child, int status) {
    int got;
    if (waitpid(child, &got, 0) != child || (WIFEXITED(got) ? WEXITSTATUS(got) : -WTERMSIG(got)) != status)
        abort();
}

static void ends_without_report(void) {
    pid_t child = fork();
    if (child == 0) {
        allocate(100);
        _exit(4);
    }
    wait_for(child, 4);
    child = fork();
    if (child == 0) {
        allocate(100);
        raise(SIGKILL);
    }
    wait_for(child, -SIGKILL);
}

static void starts(char **program) {
    pid_t child = fork();
    if (child == 0) {
        allocate(100);
        execv(program[0], program);
    }
    wait_for(child, 3);
    child = vfork();
    if (child == 0) {
        execv(program[0], program);
        _exit(9);
    }
    wait_for(child, 3);
    if (posix_spawn(&child, program[0], NULL, NULL, program, environ))
        abort();
    wait_for(child, 3);
}

int main(int count, char **arguments) {
    allocate(2);
    ends_without_report();
    if (count == 2)
        starts(arguments + 1);
    allocate(2);
    puts("done");
    return 3;
}
