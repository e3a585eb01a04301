/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* SIZE: the size that each of the two callers requests. */
#include <stdlib.h>

static void *volatile sink;

void work(void);
void work(void) {
    sink = malloc(SIZE);
    free(sink);
    sink = malloc(SIZE + 1);
    free(sink);
}
