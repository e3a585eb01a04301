/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 16,384 stacks, three times each. */
#include <stdio.h>
#include <stdlib.h>

static void *volatile sink;
static volatile int kept;

static __attribute__((noinline)) void take(void) {
    sink = malloc((size_t)(kept & 63));
    free(sink);
    kept++;
}

static void even(int path, int depth);
static void odd(int path, int depth);
static void (*const volatile paths[])(int, int) = {even, odd};

static void from(int path, int depth) {
    if (depth)
        paths[path & 1](path >> 1, depth - 1);
    else
        take();
}

static void even(int path, int depth) {
    from(path, depth);
    kept += 2;
}

static void odd(int path, int depth) {
    from(path, depth);
    kept++;
}

int main(void) {
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 1 << 14; i++)
            from(i, 14);
    puts("done");
    return 3;
}
