/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* 2048 calls of malloc in a process whose limited address space has room for 1024 callers. */
#include <stdio.h>
#include <stdlib.h>

static void *volatile sink;

#define CALL sink = malloc(16), free(sink);
#define CALLS_4(X)    X X X X
#define CALLS_16      CALLS_4(CALLS_4(CALL))
#define CALLS_256     CALLS_4(CALLS_4(CALLS_16))
#define CALLS_2048    CALLS_4(CALLS_256) CALLS_4(CALLS_256)

int main(void) {
    for (int i = 0; i < 10; i++) {
        CALLS_2048
    }
    puts("done");
    return 3;
}
