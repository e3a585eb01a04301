/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map from offsets in a file to 64-bit values. */
#ifndef ALLOCSITE_OFFSET_MAP_H
#define ALLOCSITE_OFFSET_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct offset_entry {
    uint64_t offset; /* plus one; 0: free */
    uint64_t value;
};

struct offset_map {
    struct offset_entry *entries;
    size_t capacity, count;
};

bool offset_map_get(const struct offset_map *, uint64_t offset, uint64_t *value);

/* The offset is not in the map yet. Out of memory: the map stays as it is, which costs its user time only. */
void offset_map_put(struct offset_map *, uint64_t offset, uint64_t value);

void offset_map_free(struct offset_map *);

#endif
