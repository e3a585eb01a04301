/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding elements of an array by hash. The index holds numbers of elements and their hashes, never the
 * elements. */
#ifndef ALLOCSITE_DUMP_BASE_HASH_INDEX_H
#define ALLOCSITE_DUMP_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct hash_index {
    struct hash_place *places;
    size_t size, count;
};

#define HASH_NONE SIZE_MAX

/* Whether the element is the one that is looked for. */
typedef bool hash_is(const void *key, const void *context, size_t element);

size_t hash_find(const struct hash_index *, uint64_t hash, hash_is *, const void *key, const void *context);

/* Elements are below 2^32. False: out of memory, and nothing was added. */
bool hash_add(struct hash_index *, uint64_t hash, size_t element);
void hash_free(struct hash_index *);

/* Another hash every time the program runs, so that no file can be made to collide. */
uint64_t hash_bytes(uint64_t hash, const void *, size_t);
uint64_t hash_number(uint64_t hash, uint64_t number);
uint64_t hash_text(uint64_t hash, const char *); /* which may be NULL */

/* ---- A map from offsets in a file to 64-bit values. */

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

/* ---- Strings that are kept once each. */

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
