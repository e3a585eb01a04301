/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defining functions that stand before those of the C library. */
#ifndef ALLOCSITE_LIB_CALLS_INTERPOSE_H
#define ALLOCSITE_LIB_CALLS_INTERPOSE_H

#include "lib/base/macros.h"

#ifdef ALLOCSITE_STATIC
#define INTERPOSED(name) __wrap_##name
#else
#define INTERPOSED(name) name
#endif

/* INTERPOSE(void *, malloc, size_t n) { ... } */
#define INTERPOSE(result, name, ...)                                                                         \
    ALLOCSITE_EXPORT result INTERPOSED(name)(__VA_ARGS__);                                                   \
    ALLOCSITE_EXPORT result INTERPOSED(name)(__VA_ARGS__)

#define CALLER __builtin_return_address(0)

#endif
