/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Signal handlers that allocate at the very site that they interrupt, in several threads. New threads are started
 * continuously, so that handlers also interrupt registration, the allocation of slabs, and ending threads that borrow
 * one. Needs the observer's malloc, which takes no lock. The program prints its number of allocations on standard
 * output. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void *volatile sink;
static atomic_long calls;
static atomic_bool stop;

__attribute__((noinline)) static void *allocate(void) {
    calls++;
    return malloc(8); /* the site */
}

static void handler(int signal) {
    (void)signal;
    for (int i = 0; i < 3; i++)
        sink = allocate();
    calls++;
    sink = strdup("1234567");
}

static pthread_key_t key;

/* Runs after the destructor of the runtime's key. */
static void end(void *unused) {
    (void)unused;
    for (int i = 0; i < 200; i++)
        sink = allocate();
}

static void *worker(void *unused) {
    pthread_setspecific(key, &key);
    for (int i = 0; i < 2000; i++)
        sink = allocate();
    return unused;
}

static void *forever(void *unused) {
    while (!stop)
        sink = allocate();
    return unused;
}

int main(void) {
    sink = allocate();
    pthread_key_create(&key, end);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
    pthread_t busy, fresh[4];
    pthread_create(&busy, NULL, forever, NULL);
    for (int wave = 0; wave < 100; wave++) {
        for (int i = 0; i < 4; i++)
            pthread_create(&fresh[i], NULL, worker, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(fresh[i], NULL);
    }
    stop = true;
    pthread_join(busy, NULL);
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    setitimer(ITIMER_PROF, &never, NULL);
    signal(SIGALRM, SIG_IGN);
    signal(SIGPROF, SIG_IGN);
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)calls);
    return write(1, text, (size_t)n) == n ? 3 : 4;
}
