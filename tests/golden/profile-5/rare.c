/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Counters of rare events: calls that fail, blocks that are freed before anything else is allocated, texts that are copied
// again. Before a reset, after it, in a forked child, and reallocations beside them.
#include "allocsite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile kept;

static void fail(int times) {
    for (int i = 0; i < times; i++)
        kept = malloc(SIZE_MAX / 2);
}

static void come_and_go(int times) {
    for (int i = 0; i < times; i++)
        free(kept = malloc(24));
}

static void repeat(int times) {
    for (int i = 0; i < times; i++)
        kept = strdup("again");
}

static void rise(int times) {
    void *block = malloc(8);
    for (int i = 2; i < times + 2; i++)
        block = realloc(block, 8 * (size_t)i);
    kept = block;
}

int main(void) {
    fail(5);
    repeat(2);
    allocsite_reset();
    fail(3);
    come_and_go(7);
    repeat(4);
    rise(6);
    if (fork() == 0) {
        fail(2);
        come_and_go(1);
        return 0;
    }
    wait(NULL);
    return 0;
}
