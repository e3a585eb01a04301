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

/* The mark of a function that is interposed, for who has a list of those that have to be (aside.c). */
#define INTERPOSED_MARK "allocsite_interposed_"

#ifdef ALLOCSITE_STATIC
#define INTERPOSED_MARKED(name)
#else
#define INTERPOSED_MARKED(name)                                                                              \
    __asm__(".globl " INTERPOSED_MARK #name "\n.hidden " INTERPOSED_MARK #name                               \
            "\n.set " INTERPOSED_MARK #name ", " #name);
#endif

/* INTERPOSE(void *, malloc, size_t n) { ... } */
#define INTERPOSE(result, name, ...)                                                                         \
    ALLOCSITE_EXPORT result INTERPOSED(name)(__VA_ARGS__);                                                   \
    INTERPOSED_MARKED(name)                                                                                  \
    ALLOCSITE_EXPORT result INTERPOSED(name)(__VA_ARGS__)

#define CALLER __builtin_return_address(0)

#endif
