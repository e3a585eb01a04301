/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Linked with --wrap of some allocator functions, like tests that inject failures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t);
void __real_free(void *);

static int allocated, freed;
static void *volatile sink;

/* Adds a header, so that mixing wrapped and unwrapped functions crashes. */
void *__wrap_malloc(size_t n) {
    char *p = n > 1000 ? NULL : __real_malloc(n + 16);
    allocated += p != NULL;
    return p ? p + 16 : NULL;
}

void __wrap_free(void *p) {
    freed += p != NULL;
    __real_free(p ? (char *)p - 16 : NULL);
}

int main(void) {
    for (int i = 0; i < 10; i++) {
        sink = malloc(10);
        free(sink);
    }
    free(NULL);
    sink = malloc(1001);
    printf("%d %d %d\n", allocated, freed, sink == NULL);
    return 3;
}
