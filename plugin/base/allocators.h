/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that the plugin knows by their symbols: allocators, and those of the C++ standard library. No
 * LLVM here. */
#ifndef ALLOCSITE_BASE_ALLOCATORS_H
#define ALLOCSITE_BASE_ALLOCATORS_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The place of the site among the arguments of the runtime's entry point. */
enum site_position {
    SITE_LAST,  /* appended: the arguments keep their registers */
    SITE_FIRST, /* variadic functions: nothing can follow the variable part */
};

struct allocator {
    const char *symbol; /* as the linker sees it */
    const char *callee; /* as the programmer writes it; "": the function that the call stands in */
    /* Prototype, the result first: v void, p pointer, z size_t, i int, `.` variable arguments. A function of
     * this name with another prototype is the program's own and none of our business. */
    const char *prototype;
    enum allocsite_kind kind;
    enum site_position position;
    /* The C and C++ standards let a program bring its own, which then serves the whole process. A program's
     * own definition of any other is a function like all others. */
    bool replaceable;
    /* Every call allocates or fails; false where the caller's buffer may do, and for what frees. */
    bool always_allocates;
};

/* The allocator of that symbol, or NULL. `symbol` need not be terminated. The result is static. */
const struct allocator *allocator_find(const char *symbol, size_t length);

/* The whole table, sorted by symbol; for tests. */
const struct allocator *allocator_table(size_t *count);

/* Whether a function belongs to the C++ standard library, by the mangled name: code in headers that no person
 * would name as the line that allocates. */
bool library_has(const char *symbol);

#ifdef __cplusplus
}
#endif

#endif
