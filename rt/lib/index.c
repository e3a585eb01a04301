/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "index.h"

#define PROBES 16u

/* A place holds a number, and above it the hash's upper half, so that what is not the same is seldom looked
 * at. True: this is where the number is, or now is. */
static bool is_place(uint64_t *place, uint64_t wanted, index_same *same, const void *key, uint32_t *found) {
    uint64_t word = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (!word && !(uint32_t)wanted)
        return true;
    if (!word && __atomic_compare_exchange_n(place, &word, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        word = wanted;
    else if (word >> 32 != wanted >> 32 || !same((uint32_t)word, key))
        return false;
    *found = (uint32_t)word;
    return true;
}

/* Chunk k of the table is a hash table of its own, with first << k places: what finds none in PROBES of one
 * looks in the next. Nothing is ever taken out, so behind an empty place there is nothing. */
static uint32_t seek(struct index *index, uint64_t hash, index_same *same, const void *key, uint32_t number) {
    uint32_t found = 0, start = 0, size = index->places.first;
    for (uint32_t chunk = 0; chunk < TABLE_CHUNKS && size; chunk++, start += size, size *= 2) {
        uint64_t *places = number ? table_at(&index->places, start) : table_peek(&index->places, start);
        if (!places)
            return found;
        for (uint32_t probe = 0; probe < PROBES; probe++)
            if (is_place(&places[(hash + probe) & (size - 1)], (hash >> 32) << 32 | number, same, key,
                         &found))
                return found;
    }
    return 0;
}

uint32_t index_find(struct index *index, uint64_t hash, index_same *same, const void *key) {
    return seek(index, hash, same, key, 0);
}

uint32_t index_add(struct index *index, uint64_t hash, index_same *same, const void *key, uint32_t number) {
    return seek(index, hash, same, key, number);
}
