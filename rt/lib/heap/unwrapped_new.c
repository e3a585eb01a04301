/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The part of unwrapped.c for operator new: a separate file, because C programs have no such operators. */
#include <stddef.h>

#define PASS_ON(symbol, parameters, arguments)                                                               \
    void *symbol parameters;                                                                                 \
    void *__real_##symbol parameters;                                                                        \
    void *__real_##symbol parameters {                                                                       \
        return symbol arguments;                                                                             \
    }

PASS_ON(_Znwm, (size_t n), (n))
PASS_ON(_Znam, (size_t n), (n))
PASS_ON(_ZnwmRKSt9nothrow_t, (size_t n, const void *nothrow), (n, nothrow))
PASS_ON(_ZnamRKSt9nothrow_t, (size_t n, const void *nothrow), (n, nothrow))
PASS_ON(_ZnwmSt11align_val_t, (size_t n, size_t align), (n, align))
PASS_ON(_ZnamSt11align_val_t, (size_t n, size_t align), (n, align))
PASS_ON(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t n, size_t align, const void *nothrow),
        (n, align, nothrow))
PASS_ON(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t n, size_t align, const void *nothrow),
        (n, align, nothrow))
