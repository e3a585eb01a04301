/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ways to end a process without exit: exits HOW. Prints nothing on standard error, and leaves text in the buffer of
 * standard output that _exit must not write. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile sink;

static void allocate(int n) {
    for (int i = 0; i < n; i++)
        sink = malloc(10); /* allocate */
}

static void end_at_once(int number) {
    (void)number;
    _exit(3);
}

static void end_in_handler(void) {
    signal(SIGUSR1, end_at_once);
    raise(SIGUSR1);
}

static void end_on_own_stack(void) {
    static char stack[1 << 16];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = end_at_once, .sa_flags = SA_ONSTACK}, NULL);
    *(volatile int *)8 = 1;
}

static void end_at_exit(void) {
    _exit(5);
}

static void *end_in_thread(void *barrier) {
    pthread_barrier_wait(barrier);
    _exit(3);
}

/* Another thread calls _exit while this one exits. */
static void race(void) {
    static pthread_barrier_t barrier;
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, end_in_thread, &barrier);
    pthread_barrier_wait(&barrier);
    exit(3);
}

static pid_t clone_without_handlers(void) {
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* In a forked child that counts its own allocations, or none. */
static void work(pid_t child, int allocations) {
    if (child == 0) {
        allocate(allocations);
        _exit(4);
    }
    int status;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 4)
        abort();
}

static void end_vforked(void) {
    if (vfork() == 0)
        _exit(4);
    wait(NULL);
}

static void spawn_nothing(void) {
    char *arguments[] = {"nothing", NULL};
    pid_t child;
    if (posix_spawn(&child, "/nowhere/at/all", NULL, NULL, arguments, NULL) == 0)
        abort();
}

int main(int count, char **arguments) {
    const char *how = arguments[count - 1];
    allocate(2);
    printf("lost");
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    if (strcmp(how, "_Exit") == 0)
        _Exit(3);
    if (strcmp(how, "handler") == 0)
        end_in_handler();
    if (strcmp(how, "own_stack") == 0)
        end_on_own_stack();
    if (strcmp(how, "at_exit") == 0)
        atexit(end_at_exit);
    if (strcmp(how, "race") == 0)
        race();
    if (strcmp(how, "no_stderr") == 0)
        close(STDERR_FILENO);
    if (strcmp(how, "closed_stderr") == 0)
        fclose(stderr);
    if (strcmp(how, "fork") == 0)
        work(fork(), 100);
    if (strcmp(how, "clone") == 0)
        work(clone_without_handlers(), 100);
    if (strcmp(how, "fork_idle") == 0)
        work(fork(), 0);
    if (strcmp(how, "vfork") == 0)
        end_vforked();
    if (strcmp(how, "spawn") == 0)
        spawn_nothing();
    if (strcmp(how, "terminate") == 0)
        raise(SIGTERM);
    fflush(NULL);
    if (strcmp(how, "at_exit") == 0)
        exit(3);
    _exit(3);
}
