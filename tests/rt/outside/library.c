/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Never compiled with the plugin. */
#include "library.h"

#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

static void *volatile sink;

NOINLINE static void *take(int n) {
    sink = malloc((size_t)n);
    return sink;
}

void *library_text(int n) {
    sink = take(n + 1);
    return sink;
}

void *library_more(void *p, int n) {
    sink = realloc(p, (size_t)n);
    return sink;
}

NOINLINE void *library_deep(int frames) {
    sink = frames ? library_deep(frames - 1) : take(10);
    return sink;
}

void library_call(int (*back)(int), int n) {
    void *own = take(n);
    back(n + 1);
    free(own);
}
