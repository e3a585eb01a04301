/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding elements of an array by hash. */
#include "dump/base/hash_index.h"

#include "base/grow.h"
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct hash_place {
    uint32_t hash;
    uint32_t element; /* + 1; 0: nobody */
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

static bool grow_index(struct hash_index *index) {
    struct hash_index larger = {.size = index->size ? index->size * 2 : 64, .count = index->count};
    larger.places = calloc(larger.size, sizeof *larger.places);
    if (!larger.places)
        return false;
    for (size_t i = 0; i < index->size; i++)
        if (index->places[i].element)
            *place_for(&larger, index->places[i].hash) = index->places[i];
    free(index->places);
    *index = larger;
    return true;
}

bool hash_add(struct hash_index *index, uint64_t hash, size_t element) {
    if (2 * index->count >= index->size && !grow_index(index))
        return false;
    *place_for(index, (uint32_t)hash) = (struct hash_place){(uint32_t)hash, (uint32_t)element + 1};
    index->count++;
    return true;
}

void hash_free(struct hash_index *index) {
    free(index->places);
}

static uint64_t secret(void) {
    static uint64_t value;
    if (value)
        return value;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) != sizeof value)
        value = (uintptr_t)&value;
    return value |= 1;
}

uint64_t hash_number(uint64_t hash, uint64_t number) {
    return hash_more(hash ^ secret(), number);
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

/* ---- A map from offsets in a file to 64-bit values: open addressing, at most half full. */

static struct offset_entry *entry_of(const struct offset_map *map, uint64_t offset) {
    size_t slot = hash_more(0, offset) & (map->capacity - 1);
    while (map->entries[slot].offset && map->entries[slot].offset != offset + 1)
        slot = (slot + 1) & (map->capacity - 1);
    return &map->entries[slot];
}

static bool offset_map_grow(struct offset_map *map) {
    struct offset_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 1024, .count = map->count};
    bigger.entries = calloc(bigger.capacity, sizeof *bigger.entries);
    if (!bigger.entries)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].offset)
            *entry_of(&bigger, map->entries[i].offset - 1) = map->entries[i];
    free(map->entries);
    *map = bigger;
    return true;
}

bool offset_map_get(const struct offset_map *map, uint64_t offset, uint64_t *value) {
    if (map->count == 0)
        return false;
    const struct offset_entry *entry = entry_of(map, offset);
    *value = entry->value;
    return entry->offset != 0;
}

void offset_map_put(struct offset_map *map, uint64_t offset, uint64_t value) {
    if (map->count * 2 >= map->capacity && !offset_map_grow(map))
        return;
    *entry_of(map, offset) = (struct offset_entry){offset + 1, value};
    map->count++;
}

void offset_map_free(struct offset_map *map) {
    free(map->entries);
    *map = (struct offset_map){0};
}

/* ---- Strings that are kept once each. */

static bool is_string(const void *key, const void *context, size_t element) {
    const struct string_pool *pool = context;
    return strcmp(key, pool->list[element]) == 0;
}

bool string_pool_keep(struct string_pool *pool, const char **text) {
    if (!*text)
        return true;
    uint64_t hash = hash_text(0, *text);
    size_t found = hash_find(&pool->index, hash, is_string, *text, pool);
    if (found == HASH_NONE) {
        char *copy = strdup(*text);
        found = pool->count;
        if (!copy || !grow(&pool->list, found, &pool->room, sizeof *pool->list) ||
            !hash_add(&pool->index, hash, found)) {
            free(copy);
            return false;
        }
        pool->list[pool->count++] = copy;
    }
    *text = pool->list[found];
    return true;
}

void string_pool_free(struct string_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->list[i]);
    free(pool->list);
    hash_free(&pool->index);
}
