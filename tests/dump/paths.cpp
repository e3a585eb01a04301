/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Everything that the C library starts: main, threads, initializers, exit functions. Each allocates in a
 * function whose name begins with "deep". */
#include <pthread.h>
#include <stdlib.h>

static void *volatile kept;

#define DEEP(name)                                                                                           \
    __attribute__((noinline)) static void deep_##name() {                                                    \
        kept = malloc(16);                                                                                   \
    }

DEEP(main)
DEEP(thread)
DEEP(initialiser)
DEEP(destructor)
DEEP(end)
DEEP(compare)

struct object {
    object() {
        deep_initialiser();
    }
    ~object() {
        deep_destructor();
    }
};

static object global;

static void *in_thread(void *unused) {
    deep_thread();
    return unused;
}

static void at_end() {
    deep_end();
}

static int compare(const void *, const void *) {
    deep_compare();
    return 0;
}

int main() {
    pthread_t thread;
    int numbers[2] = {};
    if (pthread_create(&thread, nullptr, in_thread, nullptr) || pthread_join(thread, nullptr) ||
        atexit(at_end))
        return 1;
    qsort(numbers, 2, sizeof *numbers, compare);
    deep_main();
    return 0;
}
