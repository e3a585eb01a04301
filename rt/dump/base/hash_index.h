/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding elements of an array by hash. The index holds numbers of elements and their hashes, never the
 * elements. */
#ifndef ALLOCSITE_DUMP_BASE_HASH_INDEX_H
#define ALLOCSITE_DUMP_BASE_HASH_INDEX_H

#include "model/site.h"

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

/* Elements are below 2^32. */
void hash_put(struct hash_index *, uint64_t hash, size_t element);
void hash_free(struct hash_index *);

/* An array of what an index leads to, as memory_grow has it. */
struct elements {
    void *array_pointer;
    size_t *count, *room, size;
};

/* The number of the element that is key. If there was none, a copy of key has come behind the others. */
size_t hash_keep(struct hash_index *, uint64_t hash, hash_is *, const void *key, const void *context,
                 struct elements);

/* Another hash every time the program runs, so that no file can be made to collide. */
uint64_t hash_bytes(uint64_t hash, const void *, size_t);
uint64_t hash_number(uint64_t hash, uint64_t number);
uint64_t hash_text(uint64_t hash, const char *); /* which may be NULL */

/* ---- A map from numbers to numbers. */

/* All zero: empty. */
struct number_map {
    struct hash_index index;
    struct number_entry {
        uint64_t key, value;
    } * list;
    size_t count, room;
};

/* The value of the key, until one is added; NULL: it is not in the map. */
uint64_t *number_map_find(const struct number_map *, uint64_t key);

/* False: the key was there already, and keeps its value. */
bool number_map_add(struct number_map *, uint64_t key, uint64_t value);

void number_map_free(struct number_map *);

/* ---- Strings that are kept once each. */

/* All zero: none. */
struct string_pool {
    struct hash_index index;
    const char **list;
    size_t count, room;
    struct string_piece *piece; /* that has room for more, and leads to those before it */
};

/* The one copy of the text, which lives as long as the pool; NULL for NULL. */
const char *string_keep(struct string_pool *, const char *text);

/* The same where the first text of its kind lives as long as the pool, and is not copied. */
const char *string_borrow(struct string_pool *, const char *text);

/* Nothing is kept any more: what texts are found by is given back. */
void string_pool_close(struct string_pool *);

/* Its place in the list. */
size_t string_number(struct string_pool *, const char *text);
void string_pool_free(struct string_pool *);

/* ---- Sites that outlive the report that they are of. */

/* The same for sites that order_identity (model/report.h) finds to be one. */
uint64_t site_hash(const struct site_view *);

/* Makes a copy whose texts are the pool's. Returns its inline chain, which is the caller's to free; NULL: it
 * has none. */
struct place *site_keep(struct site_view *, const struct site_view *from, struct string_pool *);

#endif
