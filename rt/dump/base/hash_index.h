/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hash tables that find elements of an array. The table holds indices and hashes of elements, not the
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

/* True if the element equals the key. */
typedef bool hash_is(const void *key, const void *context, size_t element);

size_t hash_find(const struct hash_index *, uint64_t hash, hash_is *, const void *key, const void *context);

/* Indices are below 2^32. */
void hash_put(struct hash_index *, uint64_t hash, size_t element);
void hash_free(struct hash_index *);

/* A growing array that a table refers to; members as for memory_grow. */
struct elements {
    void *array_pointer;
    size_t *count, *capacity, size;
};

/* Returns the index of the element equal to key. Appends a copy of key if there is none. */
size_t hash_keep(struct hash_index *, uint64_t hash, hash_is *, const void *key, const void *context,
                 struct elements);

/* The hash is seeded in each process, so that no file can provoke collisions. */
uint64_t hash_bytes(uint64_t hash, const void *, size_t);
uint64_t hash_number(uint64_t hash, uint64_t number);
uint64_t hash_text(uint64_t hash, const char *); /* NULL is allowed */

/* ---- A map from numbers to numbers. */

/* All zero: empty. */
struct number_map {
    struct hash_index index;
    struct number_entry {
        uint64_t key, value;
    } * list;
    size_t count, capacity;
};

/* The value of the key, valid until the next addition; NULL: the key is not in the map. */
uint64_t *number_map_find(const struct number_map *, uint64_t key);

/* False: the key was there already and keeps its value. */
bool number_map_add(struct number_map *, uint64_t key, uint64_t value);

void number_map_free(struct number_map *);

/* ---- Interned strings. */

/* All zero: empty. */
struct string_pool {
    struct hash_index index;
    const char **list;
    size_t count, capacity;
    struct string_piece *piece; /* has space for more; linked to earlier ones */
};

/* The interned copy of the text, which lives as long as the pool; NULL for NULL. */
const char *string_keep(struct string_pool *, const char *text);

/* The same without a copy: the text itself must live as long as the pool. */
const char *string_borrow(struct string_pool *, const char *text);

/* No more strings are added: frees the table. */
void string_pool_close(struct string_pool *);

/* The text's index in the list; adds it if new. */
size_t string_number(struct string_pool *, const char *text);
void string_pool_free(struct string_pool *);

/* ---- Sites that outlive their report. */

/* Equal for sites that order_identity (model/report.h) finds equal. */
uint64_t site_hash(const struct site_view *);

/* Makes a copy with interned strings. Returns its inline chain, which the caller frees; NULL: none. */
struct place *site_keep(struct site_view *, const struct site_view *from, struct string_pool *);

#endif
