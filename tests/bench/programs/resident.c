/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* resident THREADS: THREADS threads, including the first one, allocate. While all are live, prints the lines
 * of /proc/self/smaps_rollup. */
#include "rollup.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_barrier_t allocated, printed;

static void allocate(void) {
    char *volatile text = strdup("text");
    char *volatile block = malloc(100);
    int *volatile numbers = calloc(10, sizeof *numbers);
    block = realloc(block, 200);
    free(numbers);
    free(block);
    free(text);
}

static void *work(void *unused) {
    allocate();
    pthread_barrier_wait(&allocated);
    pthread_barrier_wait(&printed);
    return unused;
}

int main(int argc, char **argv) {
    unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    pthread_barrier_init(&allocated, NULL, threads);
    pthread_barrier_init(&printed, NULL, threads);
    for (unsigned i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            return 1;
    }
    allocate();
    pthread_barrier_wait(&allocated);
    int failed = print_rollup();
    pthread_barrier_wait(&printed);
    return failed;
}
