/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that the plugin knows by their symbols: allocators and the C++ standard library. Independent of
 * LLVM. */
#ifndef ALLOCSITE_BASE_ALLOCATORS_H
#define ALLOCSITE_BASE_ALLOCATORS_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct allocator {
    const char *symbol; /* linker symbol */
    const char *callee; /* name in the source; "": use the name of the function that contains the call */
    /* The result's type, then the parameters' types: v void, p pointer, z size_t, i int. A function
     * with this symbol and another prototype belongs to the program and is not an allocator. */
    const char *prototype;
    enum allocsite_kind kind;
    /* The C and C++ standards let a program define this function, and its definition then serves the whole
     * process. A program's definition of any other allocator is an ordinary function. */
    bool replaceable;
};

/* Returns the allocator with that symbol, or NULL. `symbol` need not be terminated. The result is static. */
const struct allocator *allocator_find(const char *symbol, size_t length);

/* The whole table, sorted by symbol; for tests. */
const struct allocator *allocator_table(size_t *count);

/* Returns whether a mangled name belongs to the C++ standard library. Reports never name a line in these
 * headers as the line that allocates. */
bool library_has(const char *symbol);

#ifdef __cplusplus
}
#endif

#endif
