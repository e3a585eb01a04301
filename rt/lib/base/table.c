/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An array that grows without ever moving. */
#include "lib/base/table.h"

#include "base/chunks.h"

void *table_peek(const struct table *table, uint32_t index) {
    struct chunk_place at = chunk_place(table->first, index);
    if (at.chunk >= TABLE_CHUNKS)
        return NULL;
    char *chunk = __atomic_load_n(&table->chunks[at.chunk], __ATOMIC_ACQUIRE);
    return chunk ? chunk + at.offset * table->element : NULL;
}

/* Publishes it only when it is all that it will be: nobody may write to it before it is in the file. */
static void map_chunk(struct table *table, uint32_t chunk) {
    size_t size = chunk_size(table->first, chunk) * table->element;
    char *fresh = os_map(size, table->fork);
    char *none = NULL;
    if (!fresh)
        return;
    uint32_t area = table->areas ? table->areas->add(table->kind, chunk, 0, fresh, size) : 0;
    if (__atomic_compare_exchange_n(&table->chunks[chunk], &none, fresh, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return;
    if (table->areas)
        table->areas->drop(area); /* and no more: somebody may be copying it */
    else
        os_unmap(fresh, size);
}

void *table_at(struct table *table, uint32_t index) {
    void *element = table_peek(table, index);
    uint32_t chunk = chunk_place(table->first, index).chunk;
    if (element || chunk >= TABLE_CHUNKS)
        return element;
    map_chunk(table, chunk);
    return table_peek(table, index);
}

void table_tell(const struct table *table, uint32_t index, size_t offset, const void *bytes, size_t size) {
    struct chunk_place at = chunk_place(table->first, index);
    table->areas->tell(table->kind, at.chunk, at.offset * table->element + offset, bytes, size);
}

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

#define ARENA_CHUNK ((size_t)256 << 10)

struct arena {
    size_t used;
    char data[];
};

static struct arena *arena;

/* A new chunk unless another thread has put one there meanwhile. False: there is none. */
static bool arena_renew(struct arena *full) {
    struct arena *fresh = os_map(ARENA_CHUNK, OS_FORK_KEEPS);
    if (!fresh)
        return __atomic_load_n(&arena, __ATOMIC_ACQUIRE) != full;
    if (!__atomic_compare_exchange_n(&arena, &full, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        os_unmap(fresh, ARENA_CHUNK);
    return true;
}

void *arena_take(size_t size) {
    const size_t room = ARENA_CHUNK - sizeof(struct arena);
    size = (size + 15) & ~(size_t)15;
    if (size > room / 4)
        return os_map(size, OS_FORK_KEEPS);
    for (;;) {
        struct arena *chunk = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
        if (chunk) {
            size_t at = __atomic_fetch_add(&chunk->used, size, __ATOMIC_RELAXED);
            if (at + size <= room)
                return chunk->data + at;
        }
        if (!arena_renew(chunk))
            return NULL;
    }
}
