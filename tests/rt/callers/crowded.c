/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library of small adjacent functions and one as large as the rest of many libraries; or a program that has each of
 * the small ones. take_N allocates N bytes. */
#include <stdio.h>
#include <stdlib.h>

#ifdef LIBRARY

#define TAKE(n)                                                                                              \
    void *take_##n(void) {                                                                                   \
        void *volatile p = malloc(n);                                                                        \
        return p;                                                                                            \
    }

void far(void) {
    __asm__ volatile(".skip 1000000");
}

#else

#define TAKE(n) void *take_##n(void);

#endif

#define TEN(X, d) X(d##0) X(d##1) X(d##2) X(d##3) X(d##4) X(d##5) X(d##6) X(d##7) X(d##8) X(d##9)
#define FEW(X)    TEN(X, 1) TEN(X, 2)
#define MANY(X)   FEW(X) TEN(X, 3) TEN(X, 4) TEN(X, 5) TEN(X, 6)

#ifdef CROWD
#define FUNCTIONS MANY
#else
#define FUNCTIONS FEW
#endif

FUNCTIONS(TAKE)

#ifndef LIBRARY

#define RELEASE(n) free(take_##n());

int main(void) {
    FUNCTIONS(RELEASE)
    puts("done");
    return 3;
}

#endif
