/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* operator new for static programs, as in the C++ standard library. The linker takes a form from here unless
 * the program defines it, before it looks into the standard library. So the runtime knows by the address
 * whether an operator is a standard one. */
#include "lib/heap/operators.h"

#define STANDARD(form, symbol, align, ...)                                                                   \
    void *standard_##form(__VA_ARGS__);                                                                      \
    __attribute__((visibility("hidden"))) void *standard_##form(__VA_ARGS__) {                               \
        return operator_new_standard(&operators_new[form], n, align);                                        \
    }                                                                                                        \
    extern __attribute__((weak, visibility("default"), alias("standard_" #form))) void *symbol(__VA_ARGS__);

#define NOTHROW __attribute__((unused)) const void *nothrow

STANDARD(NEW, _Znwm, 0, size_t n)
STANDARD(NEW_ARRAY, _Znam, 0, size_t n)
STANDARD(NEW_NOTHROW, _ZnwmRKSt9nothrow_t, 0, size_t n, NOTHROW)
STANDARD(NEW_ARRAY_NOTHROW, _ZnamRKSt9nothrow_t, 0, size_t n, NOTHROW)
STANDARD(NEW_ALIGNED, _ZnwmSt11align_val_t, align, size_t n, size_t align)
STANDARD(NEW_ARRAY_ALIGNED, _ZnamSt11align_val_t, align, size_t n, size_t align)
STANDARD(NEW_ALIGNED_NOTHROW, _ZnwmSt11align_val_tRKSt9nothrow_t, align, size_t n, size_t align, NOTHROW)
STANDARD(NEW_ARRAY_ALIGNED_NOTHROW, _ZnamSt11align_val_tRKSt9nothrow_t, align, size_t n, size_t align,
         NOTHROW)
