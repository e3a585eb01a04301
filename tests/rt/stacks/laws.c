/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that come from many stacks and are freed elsewhere, reallocated, or inherited; by phase. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocsite.h"

#define BLOCKS 256

static void *blocks[4][BLOCKS];
static volatile int kept;

static __attribute__((noinline)) void *take(size_t size) {
    void *p = malloc(size);
    kept++;
    return p;
}

static __attribute__((noinline)) void *grow(void *p, size_t size) {
    p = realloc(p, size);
    kept++;
    return p;
}

static __attribute__((noinline)) void *from(int path, size_t size) {
    void *p = path & 1 ? from(path >> 1, size + 1) : path ? from((path >> 1) & ~1, size + 2) : take(size);
    kept++;
    return p;
}

static __attribute__((noinline)) void fill(void **to, int path) {
    for (int i = 0; i < BLOCKS; i++) {
        to[i] = from(path + i % 16, (size_t)i * 9);
        if (i % 3 == 0)
            to[i] = grow(to[i], (size_t)i * 5 + 1);
        if (i % 7 == 0) {
            char *text = NULL;
            if (asprintf(&text, "%d and %s", i, "something that is longer than a hundred characters, so that "
                                                "the library's buffer has to grow at least once for it") > 0)
                free(text);
        }
    }
    kept++;
}

static void *thread(void *number) {
    fill(blocks[(long)number], 17 * (int)(long)number);
    return NULL;
}

static void release(int until) {
    for (int i = 0; i < 4; i++)
        for (int k = i; k < until; k++) {
            free(blocks[i][k]);
            blocks[i][k] = NULL;
        }
}

int main(void) {
    pthread_t ids[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, thread, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    release(100);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        release(200);
        free(from(5, 1));
        fill(blocks[0], 3);
        exit(0);
    }
    waitpid(child, NULL, 0);
    allocsite_phase_push("second");
    fill(blocks[1], 40);
    allocsite_phase_pop();
    release(BLOCKS - 10);
    puts("done");
    return 3;
}
