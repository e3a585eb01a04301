/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strings that are kept once each. */
#ifndef ALLOCSITE_STRING_POOL_H
#define ALLOCSITE_STRING_POOL_H

#include "hash_index.h"

/* All zero: none. */
struct string_pool {
    struct hash_index index;
    char **list;
    size_t count, room;
};

/* Makes *text the one copy of it, which lives as long as the pool; NULL stays NULL. False: out of memory. */
bool string_pool_keep(struct string_pool *, const char **text);
void string_pool_free(struct string_pool *);

#endif
