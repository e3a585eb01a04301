/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finding elements of an array by hash. */
#include "hash_index.h"

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
    unsigned __int128 product = (unsigned __int128)(hash ^ number ^ secret()) * 0x9E3779B97F4A7C15u;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
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
