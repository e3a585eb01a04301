/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Wrappers in threads, with signals at any moment whose handler calls one, too, and with forks meanwhile.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline))

enum { THREADS = 4, ROUNDS = 5000, FORKS = 10 };

static __thread void *volatile sink;

APART static void *xmalloc(size_t n) {
    return n ? malloc(n) : NULL;
}

APART static void xfree(void *p) {
    free(p);
}

APART static void *deep(size_t n, int depth) {
    return depth ? deep(n + 1, depth - 1) : xmalloc(n);
}

// Allocates nothing, which a handler must not.
static void on_signal(int signal) {
    (void)signal;
    sink = xmalloc(0);
}

static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        xfree(xmalloc(1)); // @ 20000 20000 0 0 0
        xfree(deep(2, 5)); // @ 20000 140000 0 0 0
    }
    return unused;
}

static void fork_once(void) {
    pid_t child = fork();
    if (child == 0) {
        xfree(xmalloc(3));
        exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL); // @ any
    for (int i = 0; i < FORKS; i++)
        fork_once();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    puts("done"); // @ any
    return 3;
}
