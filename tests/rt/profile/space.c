/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 576 sites, in each of three threads at once. */
#include <pthread.h>
#include <stdlib.h>

#define SITE(n)                                                                                              \
    static void site_##n(void) {                                                                             \
        void *volatile p = malloc(8);                                                                        \
        free(p);                                                                                             \
    }
#define CALL(n)     site_##n,
#define EACH8(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7)
#define EACH64(x, n)                                                                                         \
    EACH8(x, n##0)                                                                                           \
    EACH8(x, n##1) EACH8(x, n##2) EACH8(x, n##3) EACH8(x, n##4) EACH8(x, n##5) EACH8(x, n##6) EACH8(x, n##7)
#define ALL(x)                                                                                               \
    EACH64(x, a)                                                                                             \
    EACH64(x, b) EACH64(x, c) EACH64(x, d) EACH64(x, e) EACH64(x, f) EACH64(x, g) EACH64(x, h) EACH64(x, i)

ALL(SITE)
static void (*const sites[])(void) = {ALL(CALL)};

enum { THREADS = 3 };

static pthread_barrier_t all_there;

static void *run(void *unused) {
    pthread_barrier_wait(&all_there);
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        sites[i]();
    pthread_barrier_wait(&all_there);
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 3;
}
