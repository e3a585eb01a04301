/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hash table that grows without ever moving. */
#include "lib/base/table.h"

#include "lib/base/macros.h"

/* Words of a cache line. They are filled from the first one on, and nothing is ever taken out: behind one
 * that is free there is nothing, and in tables behind one where the last is free. */
#define LINE 16

typedef uint32_t words __attribute__((vector_size(16), may_alias));

static inline uint32_t *line_in(const struct index *index, char *chunk, uint32_t number, uint64_t hash) {
    uint64_t mask = chunk_size(index->places.first, number) - LINE;
    return (uint32_t *)chunk + (hash * LINE & mask);
}

/* The bits of a word that are the hash's. */
static inline uint32_t mask_of(const struct index *index) {
    return UINT32_MAX << index->bits;
}

static inline uint32_t tag_of(const struct index *index, const struct index_seek *seek) {
    return (uint32_t)(seek->hash >> 32) & mask_of(index);
}

/* Whether one of them may be it, for most lines that are passed have none. A word is written whole, so that
 * what is read of it is what was or what is there. */
static inline bool may_have(const uint32_t *line, uint32_t tag, uint32_t mask) {
    typedef uint64_t halves __attribute__((vector_size(16)));
    const words *four = (const words *)line;
    const words tags = {tag, tag, tag, tag}, masks = {mask, mask, mask, mask};
    words any = (words)((four[0] & masks) == tags) | (words)((four[1] & masks) == tags) |
                (words)((four[2] & masks) == tags) | (words)((four[3] & masks) == tags);
    halves both = (halves)any;
    return both[0] | both[1];
}

/* The number that is in the line; 0: none of the key's is. */
static uint32_t find_in(const uint32_t *line, const struct index_seek *seek, uint32_t tag, uint32_t mask) {
    for (uint32_t i = 0; i < LINE; i++) {
        uint32_t word = __atomic_load_n(&line[i], __ATOMIC_ACQUIRE);
        if ((word & mask) == tag && word && seek->same(word & ~mask, seek->key))
            return word & ~mask;
    }
    return 0;
}

static inline uint32_t used_in(const uint32_t *line) {
    uint32_t used = 0;
    while (used < LINE && __atomic_load_n(&line[used | 3], __ATOMIC_ACQUIRE))
        used += 4;
    while (used < LINE && __atomic_load_n(&line[used], __ATOMIC_ACQUIRE))
        used++;
    return used;
}

static inline void end_at(struct index_seek *seek, uint32_t chunk, uint32_t *line, uint32_t used) {
    seek->chunk = chunk;
    seek->word = used;
    seek->place = line && used < LINE ? line + used : NULL;
}

uint32_t index_find(const struct index *index, struct index_seek *seek) {
    uint32_t tag = tag_of(index, seek), mask = mask_of(index), found, number = 0, used = LINE, *line = NULL;
    for (; number < TABLE_CHUNKS && used == LINE; number++) {
        char *chunk = __atomic_load_n(&index->places.chunks[number], __ATOMIC_ACQUIRE);
        line = chunk ? line_in(index, chunk, number, seek->hash) : NULL;
        used = !line ? 0 : __atomic_load_n(&line[LINE - 1], __ATOMIC_ACQUIRE) ? LINE : used_in(line);
        if (line && may_have(line, tag, mask) && (found = find_in(line, seek, tag, mask)))
            return found;
    }
    end_at(seek, number - 1, line, used);
    return 0;
}

uint32_t index_end(const struct index *index, struct index_seek *seek) {
    uint32_t number = 0, used = LINE, *line = NULL;
    for (; number < TABLE_CHUNKS && used == LINE; number++) {
        char *chunk = __atomic_load_n(&index->places.chunks[number], __ATOMIC_ACQUIRE);
        line = chunk ? line_in(index, chunk, number, seek->hash) : NULL;
        used = !line ? 0 : __atomic_load_n(&line[LINE - 1], __ATOMIC_ACQUIRE) ? LINE : used_in(line);
    }
    end_at(seek, number - 1, line, used);
    return 0;
}

/* The number that is in the line now; 0: the line is full. */
static uint32_t add_to(uint32_t *line, const struct index_seek *seek, uint32_t wanted, uint32_t mask) {
    for (uint32_t i = seek->word; i < LINE; i++) {
        uint32_t word = __atomic_load_n(&line[i], __ATOMIC_ACQUIRE);
        if (!word &&
            __atomic_compare_exchange_n(&line[i], &word, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return wanted & ~mask;
        if (!((word ^ wanted) & mask) && seek->same(word & ~mask, seek->key))
            return word & ~mask;
    }
    return 0;
}

static char *chunk_made(struct index *index, uint32_t number) {
    char *chunk = __atomic_load_n(&index->places.chunks[number], __ATOMIC_ACQUIRE);
    uint64_t start = chunk_start(index->places.first, number);
    return chunk || start > UINT32_MAX ? chunk : table_at(&index->places, (uint32_t)start);
}

/* The place is not the one that was free, or no longer. */
static COLD uint32_t add_beyond(struct index *index, struct index_seek *seek, uint32_t wanted) {
    uint32_t mask = mask_of(index), found = 0;
    for (; seek->chunk < TABLE_CHUNKS && !found; seek->chunk++, seek->word = 0) {
        char *chunk = chunk_made(index, seek->chunk);
        if (!chunk)
            return 0;
        found = add_to(line_in(index, chunk, seek->chunk, seek->hash), seek, wanted, mask);
    }
    return found;
}

uint32_t index_add(struct index *index, struct index_seek *seek, uint32_t number) {
    uint32_t wanted = tag_of(index, seek) | number, word = 0;
    if (number & mask_of(index))
        return 0;
    if (LIKELY(seek->place != NULL) &&
        LIKELY(__atomic_compare_exchange_n(seek->place, &word, wanted, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE)))
        return number;
    return add_beyond(index, seek, wanted);
}
