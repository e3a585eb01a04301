/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function recurses through one call site where, earlier, another function's frame had the same stack pointer and
 * return address, for all sizes of that frame. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

static void *volatile sink;

APART static void leaf(int n) {
    void *p = malloc(n);
    sink = p;
    free(p);
}

APART static void first(int n) {
    leaf(n);
    sink = 0;
}

APART static void flat(int n) {
    volatile char *pad = alloca(n);
    pad[0] = 1;
    leaf(11);
    sink = 0;
}

APART static void recursive(int n) {
    volatile char pad[100];
    pad[n] = 1;
    if (n)
        recursive(n - 1);
    else
        leaf(22);
    sink = 0;
}

static void (*const table[])(int) = {first, first, flat, recursive};

int main(int argc, char **argv) {
    int arguments[] = {5, 6, atoi(argv[1]), 3}, count = argc > 5 ? argc : 4;
    leaf(7);
    for (int i = 0; i < count; i++)
        table[i](arguments[i]);
    puts("done");
    return 3;
}
