/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that allocate until standard input ends, to be observed from outside. With an argument they continue while
 * the program ends. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool ends;

static void *work(void *unused) {
    while (!__atomic_load_n(&ends, __ATOMIC_RELAXED)) {
        void *volatile p = malloc(32); /* taken */
        p = realloc(p, 64);            /* grown */
        free(p);
    }
    return unused;
}

int main(int argc, char **argv) {
    (void)argv;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    puts("ready");
    fflush(stdout);
    if (argc > 1)
        return usleep(5000), 3;
    while (getchar() != EOF)
        ;
    __atomic_store_n(&ends, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 3;
}
