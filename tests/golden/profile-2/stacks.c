/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What make.sh makes the profiles of: sites with several stacks, recursion, a scope of the C library, callers. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile sink;
static void *(*volatile escaped)(size_t) = malloc;
static volatile int kept;

static __attribute__((noinline)) void *leaf(size_t size) {
    void *p = malloc(size);
    kept++;
    return p;
}

static __attribute__((noinline)) void *left(size_t size) {
    void *p = leaf(size);
    kept++;
    return p;
}

static __attribute__((noinline)) void *right(size_t size, int depth) {
    void *p = depth ? right(size, depth - 1) : realloc(leaf(size), 2 * size);
    kept++;
    return p;
}

static __attribute__((noinline)) void unsited(size_t size) {
    free(sink = escaped(size));
    kept++;
}

int main(void) {
    char *text = NULL;
    for (int i = 0; i < 10; i++)
        free(left(100));
    void *block = right(1000, 5);
    if (asprintf(&text, "%d", kept) > 0)
        free(text);
    unsited(7);
    unsited(9);
    if (fork() == 0) {
        free(block);
        free(left(5));
        exit(0);
    }
    wait(NULL);
    return 0;
}
