/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Like a preloaded heap tracer: it forwards calls to the next malloc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

void *malloc(size_t n) {
    static void *(*next)(size_t);
    if (!next)
        next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    return next(n);
}

void free(void *p) {
    static void (*next)(void *);
    if (!next)
        next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    next(p);
}

void *given(void);
void *given(void) {
    return malloc(10);
}
