/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that was compiled without the plugin. */
#include <stdlib.h>
#include <string.h>

static void *volatile sink;

void unsited(void);
void unsited(void) {
    sink = malloc(50);
    sink = realloc(sink, 2000);
    free(sink);
}
