/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that count until they are killed, and acknowledge each step through a pipe: killed DESCRIPTOR THREADS.
 *
 * Each thread has its own lines. Step i allocates 16 + i % 100 bytes; every third step reallocates that block to 200 +
 * i % 50, and frees the block of step i - 8. Then it writes its number of steps in one write. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static int pipe_end;

struct acknowledged {
    uint32_t thread, steps;
};

#define KEPT 8

/* One function per thread, never inlined, so that each has its own sites. */
#define WORKER(number)                                                                                       \
    static __attribute__((noinline)) void *allocate_##number(size_t n) {                                     \
        void *volatile p = malloc(n);                                                                        \
        return p;                                                                                            \
    }                                                                                                        \
    static __attribute__((noinline)) void *grow_##number(void *old, size_t n) {                              \
        void *volatile p = realloc(old, n);                                                                  \
        return p;                                                                                            \
    }                                                                                                        \
    static void *work_##number(void *unused) {                                                               \
        void *kept[KEPT] = {0};                                                                              \
        (void)unused;                                                                                        \
        for (uint32_t i = 0;; i++) {                                                                         \
            void *p = allocate_##number(16 + i % 100);                                                       \
            if (i % 3 == 0)                                                                                  \
                p = grow_##number(p, 200 + i % 50);                                                          \
            free(kept[i % KEPT]);                                                                            \
            kept[i % KEPT] = p;                                                                              \
            struct acknowledged step = {number, i + 1};                                                      \
            if (write(pipe_end, &step, sizeof step) != sizeof step)                                          \
                abort();                                                                                     \
        }                                                                                                    \
    }

WORKER(0)
WORKER(1)
WORKER(2)
WORKER(3)

int main(int count, char **arguments) {
    static void *(*const workers[])(void *) = {work_0, work_1, work_2, work_3};
    int threads = count > 2 ? atoi(arguments[2]) : 1;
    pipe_end = atoi(arguments[1]);
    for (int i = 1; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, workers[i], NULL);
    }
    workers[0](NULL);
    return 1;
}
