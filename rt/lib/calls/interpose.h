/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Defines functions that come before the C library's. */
#ifndef ALLOCSITE_LIB_CALLS_INTERPOSE_H
#define ALLOCSITE_LIB_CALLS_INTERPOSE_H

#include "lib/base/macros.h"
#include "lib/heap/underlying.h"
#include "lib/paths/origin.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef ALLOCSITE_STATIC
#define INTERPOSED(name) __wrap_##name
#else
#define INTERPOSED(name) name
#endif

/* The prefix of a symbol that marks an interposed function. bypass.c checks that all functions of its list
 * are marked. */
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

/* REAL_FUNCTION(int, fclose, (FILE * stream), (stream)) defines real_fclose, which calls the definition that
 * follows the runtime's. */
#ifdef ALLOCSITE_STATIC
#define REAL_FUNCTION(result, name, parameters, arguments)                                                   \
    extern result __real_##name parameters;                                                                  \
    static inline result real_##name parameters {                                                            \
        return __real_##name arguments;                                                                      \
    }
#else
#define REAL_FUNCTION(result, name, parameters, arguments)                                                   \
    static result(*found_##name) parameters;                                                                 \
    static const struct real_function real_function_##name                                                   \
        __attribute__((used, section("allocsite_real"))) = {#name, (void **)&found_##name};                  \
    static result real_##name parameters {                                                                   \
        if (!found_##name)                                                                                   \
            found_##name = (result(*) parameters)underlying_symbol_after(#name);                             \
        return found_##name arguments;                                                                       \
    }

struct real_function {
    const char *name;
    void **found; /* NULL at first */
};

#endif

/* Finds everything in the dynamic loader that calls of the program may need. Called before a fork, because
 * the child may be unable to (os_loader_may_block). */
void interpose_find_all(void);

#define CALLER    __builtin_return_address(0)
#define BY_CALLER ((struct origin){.caller = CALLER})

/* ---- Bypassing calls that are not counted (bypass.c). */

/* Returns whether a loaded module refers to allocsite_start or a similar function. */
bool may_be_started(void);

/* Redirects all calls, for enabled=0. Called once, before the first thread and any other constructor. */
void bypass_all(void);

/* Redirects calls that free to the underlying allocator, and calls that allocate to shorter functions that
 * count only allocations (owners=0). */
void bypass_frees(void);

/* Redirects calls that allocate to functions that count sizes as well (sizes=1). */
void redirect_for_sizes(void);

/* Returns the address that references to a symbol are redirected to. 0: none. */
typedef uintptr_t redirect_function(const char *symbol);

redirect_function alloc_only_function, sized_function;

/* ---- Memory limits that the program has set, around the execution of another program (limits.c). */

void limits_lower(void);
void limits_raise(void); /* the execution failed */

#endif
