/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Exits while eight threads allocate, free, start threads and open files.
#include "common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int running;

static void *nothing(void *unused) {
    return unused;
}

static void *work(void *number) {
    void *volatile blocks[64] = {NULL};
    unsigned seed = (unsigned)(size_t)number;
    atomic_fetch_add(&running, 1);
    for (;;) {
        unsigned i = rand_r(&seed) % 64;
        free(blocks[i]);
        blocks[i] = malloc(rand_r(&seed) % 3000);
        if (i == 0)
            blocks[i] = realloc(blocks[i], 200000);
        pthread_t thread;
        if (i == 1 && seed % 64 == 0 && pthread_create(&thread, NULL, nothing, NULL) == 0)
            pthread_join(thread, NULL);
        FILE *file = i == 2 ? fopen("/dev/null", "r") : NULL;
        if (file)
            fclose(file);
    }
    return NULL;
}

NOINLINE static void lose_some(void) {
    for (int i = 0; i < 10; i++)
        lose(malloc(99)); // @ lost 10 990
}

int main(void) {
    pthread_t thread;
    lose_some();
    for (size_t i = 0; i < 8; i++)
        pthread_create(&thread, NULL, work, (void *)i);
    while (atomic_load(&running) < 8)
        usleep(100);
    clear_stack();
    puts("done");
    clear_stack();
    return 3;
}
