/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* started HOW: 10 blocks before counting starts, 20 while counting, 40 after it stops; or with a signal
 * handler. */
#include "allocsite.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void take(int count) {
    while (count--) {
        void *volatile p = malloc(100); /* taken */
        if (count % 2)
            free(p);
    }
}

static void *work(void *unused) {
    for (int count = 10; count <= 40; count *= 2) {
        pthread_barrier_wait(&barrier);
        take(count);
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void ignore(int number) {
    (void)number;
}

static void *wait_long(void *unused) {
    pause();
    return unused;
}

/* If it cannot be created, nothing changes. */
static void start_profile(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_long, NULL);
    if (allocsite_start_profile("st.profile") != EBUSY)
        abort();
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    allocsite_stop();
    if (allocsite_start_profile("absent/st.profile") != EIO || allocsite_is_counting() ||
        allocsite_start_profile("st.profile") || allocsite_start_profile("st.profile") != EALREADY)
        abort();
}

/* Starts or stops counting. */
static void change(int count, const char *how) {
    if (strcmp(how, "signal") == 0)
        raise(SIGUSR1);
    else if (count == 10 ? allocsite_start() : allocsite_stop())
        abort();
}

int main(int arguments, char **argument) {
    const char *how = argument[arguments - 1];
    pthread_t thread;
    if (strcmp(how, "own") == 0) {
        signal(SIGUSR1, ignore);
        signal(SIGUSR2, ignore);
        raise(SIGUSR1);
        raise(SIGUSR2);
        return 0;
    }
    if (strcmp(how, "profile") == 0) {
        take(10);
        start_profile();
        take(20);
        if (fork() == 0) {
            take(4);
            _exit(0);
        }
        wait(NULL);
        allocsite_stop();
        take(40);
        return 0;
    }
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, work, NULL);
    for (int count = 10; count <= 40; count *= 2) {
        pthread_barrier_wait(&barrier);
        take(count);
        pthread_barrier_wait(&barrier);
        if (count < 40)
            change(count, how);
    }
    pthread_join(thread, NULL);
    return 0;
}
