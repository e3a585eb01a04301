/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defining functions that stand before those of the C library. */
#ifndef ALLOCSITE_LIB_CALLS_INTERPOSE_H
#define ALLOCSITE_LIB_CALLS_INTERPOSE_H

#include "lib/base/macros.h"
#include "lib/heap/next.h"

#include <stdbool.h>
#include <stdint.h>

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

/* BEHIND(int, fclose, (FILE * stream), (stream)): real_fclose, the one that stands behind ours. */
#ifdef ALLOCSITE_STATIC
#define BEHIND(result, name, parameters, arguments)                                                          \
    extern result __real_##name parameters;                                                                  \
    static inline result real_##name parameters {                                                            \
        return __real_##name arguments;                                                                      \
    }
#else
#define BEHIND(result, name, parameters, arguments)                                                          \
    static result real_##name parameters {                                                                   \
        static result(*real) parameters;                                                                     \
        if (!real)                                                                                           \
            real = (result(*) parameters)next_behind(#name);                                                 \
        return real arguments;                                                                               \
    }
#endif

#define CALLER __builtin_return_address(0)

/* ---- Getting out of the way of calls that are not counted (aside.c). */

/* Whether a module that is loaded calls allocsite_start or its kin. */
bool may_be_started(void);

/* Once, before the first thread and any other constructor. */
void step_aside(void);

/* The same of what gives blocks back; what allocates them is led to functions for a process that counts only
 * what comes (owners=0), of the size of that job. */
void step_aside_of_frees(void);

/* Calls that allocate are led to functions that count sizes as well (sizes=1). */
void step_aside_for_sizes(void);

/* A function that does what ours of that symbol does. 0: there is none. */
typedef uintptr_t led_function(const char *symbol);

led_function lean_function, sized_function;

/* ---- The program's limits of its own memory, around the execution of another program (limits.c). */

void limits_lower(void);
void limits_raise(void); /* it could not be executed */

#endif
