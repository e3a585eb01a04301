/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hash tables. */
#include "dump/base/hash_index.h"

#include "base/hash.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct hash_place {
    uint32_t hash;
    uint32_t element; /* index + 1; 0: empty */
};

static struct hash_place *place_for(const struct hash_index *index, uint32_t hash) {
    size_t at = hash & (index->size - 1);
    while (index->places[at].element)
        at = (at + 1) & (index->size - 1);
    return &index->places[at];
}

size_t hash_find(const struct hash_index *index, uint64_t hash, hash_is *is, const void *key,
                 const void *context) {
    if (!index->size)
        return HASH_NONE;
    for (size_t at = (uint32_t)hash & (index->size - 1);; at = (at + 1) & (index->size - 1)) {
        const struct hash_place *place = &index->places[at];
        if (!place->element)
            return HASH_NONE;
        if (place->hash == (uint32_t)hash && is(key, context, place->element - 1))
            return place->element - 1;
    }
}

static void grow_index(struct hash_index *index) {
    struct hash_index larger = {.size = index->size ? index->size * 2 : 64, .count = index->count};
    larger.places = memory_zeros(larger.size, sizeof *larger.places);
    for (size_t i = 0; i < index->size; i++)
        if (index->places[i].element)
            *place_for(&larger, index->places[i].hash) = index->places[i];
    free(index->places);
    *index = larger;
}

void hash_put(struct hash_index *index, uint64_t hash, size_t element) {
    if (2 * index->count >= index->size)
        grow_index(index);
    *place_for(index, (uint32_t)hash) = (struct hash_place){(uint32_t)hash, (uint32_t)element + 1};
    index->count++;
}

size_t hash_keep(struct hash_index *index, uint64_t hash, hash_is *is, const void *key, const void *context,
                 struct elements to) {
    size_t found = hash_find(index, hash, is, key, context);
    if (found != HASH_NONE)
        return found;
    memory_grow(to.array_pointer, *to.count, to.capacity, to.size);
    memcpy(*(char **)to.array_pointer + *to.count * to.size, key, to.size);
    hash_put(index, hash, *to.count);
    return (*to.count)++;
}

void hash_free(struct hash_index *index) {
    free(index->places);
}

static uint64_t hash_secret(void) {
    static uint64_t value;
    if (value)
        return value;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) != sizeof value)
        value = (uintptr_t)&value;
    return value |= 1;
}

uint64_t hash_number(uint64_t hash, uint64_t number) {
    return hash_more(hash ^ hash_secret(), number);
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const char *at = bytes;
    uint64_t word;
    hash = hash_number(hash, size);
    for (; size >= sizeof word; size -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = hash_number(hash, word);
    }
    word = 0;
    memcpy(&word, at, size);
    return hash_number(hash, word);
}

uint64_t hash_text(uint64_t hash, const char *text) {
    return text ? hash_bytes(hash, text, strlen(text)) : hash_number(hash, 0);
}

/* ---- A map from numbers to numbers. */

static bool is_key(const void *key, const void *context, size_t element) {
    return ((const struct number_map *)context)->list[element].key == *(const uint64_t *)key;
}

uint64_t *number_map_find(const struct number_map *map, uint64_t key) {
    size_t found = hash_find(&map->index, hash_number(0, key), is_key, &key, map);
    return found == HASH_NONE ? NULL : &map->list[found].value;
}

bool number_map_add(struct number_map *map, uint64_t key, uint64_t value) {
    if (number_map_find(map, key))
        return false;
    memory_grow(&map->list, map->count, &map->capacity, sizeof *map->list);
    hash_put(&map->index, hash_number(0, key), map->count);
    map->list[map->count++] = (struct number_entry){key, value};
    return true;
}

void number_map_free(struct number_map *map) {
    hash_free(&map->index);
    free(map->list);
}

/* ---- Interned strings. */

static bool is_string(const void *key, const void *context, size_t element) {
    const struct string_pool *pool = context;
    return strcmp(key, pool->list[element]) == 0;
}

/* Many strings share a heap block, whose overhead is as large as a short string. */
struct string_piece {
    struct string_piece *before;
    size_t size, used;
    char bytes[];
};

enum { PIECE = 1 << 14 };

static char *add_text(struct string_pool *pool, const char *text) {
    size_t size = strlen(text) + 1;
    struct string_piece *piece = pool->piece;
    if (!piece || piece->size - piece->used < size) {
        size_t capacity = size > PIECE ? size : PIECE;
        piece = memory_need(malloc(sizeof *piece + capacity));
        *piece = (struct string_piece){.before = pool->piece, .size = capacity};
        pool->piece = piece;
    }
    char *copy = memcpy(piece->bytes + piece->used, text, size);
    piece->used += size;
    return copy;
}

static size_t number_of(struct string_pool *pool, const char *text, bool is_borrowed) {
    uint64_t hash = hash_text(0, text);
    size_t found = hash_find(&pool->index, hash, is_string, text, pool);
    if (found != HASH_NONE)
        return found;
    memory_grow(&pool->list, pool->count, &pool->capacity, sizeof *pool->list);
    hash_put(&pool->index, hash, pool->count);
    pool->list[pool->count] = is_borrowed ? text : add_text(pool, text);
    return pool->count++;
}

const char *string_keep(struct string_pool *pool, const char *text) {
    size_t number = text ? number_of(pool, text, false) : 0;
    return text ? pool->list[number] : NULL;
}

const char *string_borrow(struct string_pool *pool, const char *text) {
    size_t number = text ? number_of(pool, text, true) : 0;
    return text ? pool->list[number] : NULL;
}

size_t string_number(struct string_pool *pool, const char *text) {
    return number_of(pool, text, false);
}

void string_pool_close(struct string_pool *pool) {
    free(pool->list);
    hash_free(&pool->index);
    pool->list = NULL;
    pool->index = (struct hash_index){.count = 0};
}

void string_pool_free(struct string_pool *pool) {
    for (struct string_piece *piece = pool->piece, *before; piece; piece = before) {
        before = piece->before;
        free(piece);
    }
    free(pool->list);
    hash_free(&pool->index);
}

/* ---- Sites that outlive their report. */

uint64_t site_hash(const struct site_view *view) {
    uint64_t hash = hash_number(view->id, (uint64_t)view->at.line << 32 | view->at.column);
    hash = hash_text(hash, view->at.function);
    hash = hash_text(hash, view->at.file);
    return hash_text(hash_text(hash, view->callee), view->module);
}

static struct place keep_place(struct string_pool *strings, struct place place) {
    place.function = string_keep(strings, place.function);
    place.file = string_keep(strings, place.file);
    return place;
}

struct place *site_keep(struct site_view *view, const struct site_view *from, struct string_pool *strings) {
    struct place *places = memory_copy(from->inlined, from->inlined_count * sizeof *places);
    *view = *from;
    view->at = keep_place(strings, from->at);
    view->module = string_keep(strings, from->module);
    view->callee = string_keep(strings, from->callee);
    view->type = string_keep(strings, from->type);
    view->build_id = string_keep(strings, from->build_id);
    view->inlined = places;
    for (size_t i = 0; i < from->inlined_count; i++)
        places[i] = keep_place(strings, places[i]);
    return places;
}
