/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Not compiled with the plugin: each line that allocates is a separate caller. The notes are its counts. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static __thread void *volatile sink;

static __attribute__((noinline)) void once(void) {
    sink = malloc(100); /* @ 1 100 0 0 0 */
    free(sink);
}

static __attribute__((noinline)) void each(int n) {
    for (int i = 0; i < n; i++) {
        sink = malloc(10); /* @ 20300 203000 0 0 0 */
        free(sink);
    }
}

static __attribute__((noinline)) void kinds(void) {
    sink = calloc(3, 7); /* @ 1 21 0 0 0 */
    sink = realloc(sink, 1000); /* @ 0 0 1 1000 0 */
    free(sink);
    sink = malloc((size_t)1 << 60); /* @ 0 0 0 0 1 */
    sink = aligned_alloc(64, 6400); /* @ 1 6400 0 0 0 */
    free(sink);
    void *p;
    if (posix_memalign(&p, 32, 50) == 0) /* @ 1 50 0 0 0 */
        free(p);
}

static void *thread(void *unused) {
    each(5000);
    return unused;
}

static void threads(void) {
    pthread_t ids[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
}

int main(void) {
    once();
    each(300);
    kinds();
    threads();
    for (int i = 0; i < 7; i++)
        free(sink = strdup("abc"));
    fflush(stdout);
    if (fork() == 0) {
        once();
        free(sink = malloc(11)); /* @ 0 0 0 0 0 child 1 11 */
        exit(0);
    }
    wait(NULL);
    puts("done");
    return 3;
}
