/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which memory of the process can be read, for the search in reach/reach.h. */
#ifndef ALLOCSITE_LIB_BASE_MAPS_H
#define ALLOCSITE_LIB_BASE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    uintptr_t begin, end;
};

struct maps {
    struct span *spans; /* readable, in ascending order, one for each mapping */
    size_t count;
    struct span stack; /* of the first thread; empty: not found */
};

/* Reads /proc/self/maps. NULL, or why not. Memory that is mapped later is not in it. */
const char *maps_read(struct maps *);
void maps_release(struct maps *);

/* The first mapping that ends behind address; NULL: none. */
const struct span *maps_behind(const struct maps *, uintptr_t address);

/* The mapping that holds address; empty: none. */
struct span maps_at(const struct maps *, uintptr_t address);

#endif
