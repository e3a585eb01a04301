/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library whose file is replaced after loading by one with the same code and other names. */
#include <stdio.h>
#include <stdlib.h>

#ifdef LIBRARY
static void *volatile sink;

#ifdef OTHER
#define here wrong
#endif

static __attribute__((noinline)) void here(void) {
    sink = malloc(33);
    free(sink);
}

__attribute__((constructor)) static void load(void) {
    rename("other.so", "libreplaced.so");
    here();
}
#else
int main(void) {
    puts("done");
    return 3;
}
#endif
