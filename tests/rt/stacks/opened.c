/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Called from a library that is opened again and again, under different names. */
#include <stdlib.h>

extern void *take(size_t);

static void *volatile sink;

static __attribute__((noinline)) void INNER(void) {
    sink = malloc(SIZE);
    free(sink);
}

static __attribute__((noinline)) void OUTER(void) {
    free(take(SIZE));
}

void work(void);
void work(void) {
    INNER();
    OUTER();
    sink = NULL;
}
