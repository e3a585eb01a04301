/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recursion that allocates on the way in, alternating between two paths, and on the way out; or a given number of
 * levels, with a number of non-allocating ones in between. Compilers may jump to and from the allocating
 * functions. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept;
static volatile int level;
static int levels = 300, between;

static int in(void);

static __attribute__((noinline)) int wait(int left) {
    return (left ? wait(left - 1) : in()) + level % 2;
}

static __attribute__((noinline)) void *get(size_t n) {
    return malloc(n);
}

static __attribute__((noinline)) void *get_more(size_t n) {
    kept = strdup("more");
    free(kept);
    return get(n + 1);
}

static __attribute__((noinline)) int aside(void) {
    kept = get_more(2);
    free(kept);
    return in() + 1;
}

static __attribute__((noinline)) int in(void) {
    int now = ++level, sum = 0;
    kept = malloc(1);
    free(kept);
    if (now < levels)
        sum = between ? wait(between) : now % 3 ? in() : aside();
    if (now % 2) {
        kept = get(3);
        free(kept);
    }
    return sum + now;
}

static void *run(void *unused) {
    for (int i = 0; i < 3; i++) {
        level = 0;
        kept = in() ? kept : NULL;
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_attr_t attributes;
    if (argc == 3) {
        levels = atoi(argv[1]);
        between = atoi(argv[2]);
    }
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)256 << 20);
    if (pthread_create(&thread, &attributes, run, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    puts("done");
    return 3;
}
