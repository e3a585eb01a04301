/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program whose profile has to grow while it runs: growing THREADS. Each thread, while all others are alive,
 * allocates 1000 blocks of 10 bytes; then the program reports it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t all;

static void *work(void *unused) {
    for (int i = 0; i < 1000; i++) {
        void *volatile p = malloc(10); /* each */
        if (i % 2)
            free(p);
    }
    pthread_barrier_wait(&all);
    return unused;
}

int main(int count, char **arguments) {
    int threads = count > 1 ? atoi(arguments[1]) : 1;
    pthread_t *started = calloc((size_t)threads, sizeof *started);
    pthread_barrier_init(&all, NULL, (unsigned)threads + 1);
    if (count > 2 && strcmp(arguments[2], "closing") == 0)
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
    for (int i = 0; i < threads; i++)
        pthread_create(&started[i], NULL, work, NULL);
    pthread_barrier_wait(&all);
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    free(started);
    puts("done");
    return 3;
}
