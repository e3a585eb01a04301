/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A wrapper that the other unit only declares, and also calls by a pointer. */
#include <stdio.h>
#include <stdlib.h>

#ifdef WRAPPER
void *grab(size_t n) {
    void *p = malloc(n);
    if (!p)
        abort();
    return p;
}

void *grab_known(void) {
    return grab(100);
}
#else
void *grab(size_t);
void *grab_known(void);
void *(*volatile by_pointer)(size_t) = grab;

int main(void) {
#pragma clang loop unroll(disable)
    for (int i = 0; i < 3; i++)
        free(grab(10)); /* unknown */
    free(by_pointer(7));
    free(grab_known());
    free(malloc(1000));
    puts("done");
    fflush(stdout);
    getchar();
    return 3;
}
#endif
