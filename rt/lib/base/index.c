/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A hash table that grows and whose entries never move. */
#include "lib/base/table.h"

#include "lib/base/macros.h"

/* Words of a cache line, which are filled in order and never removed. So there are no entries after a free
 * word, and none in larger tables if the last word of the line is free. */
#define LINE 16

typedef uint32_t words __attribute__((vector_size(16), may_alias));

static inline uint32_t *index_line(const struct index *index, char *chunk, uint32_t number, uint64_t hash) {
    uint64_t mask = chunk_size(index->places.first, number) - LINE;
    return (uint32_t *)chunk + (hash * LINE & mask);
}

/* The bits of a word that hold a part of the hash. */
static inline uint32_t index_mask(const struct index *index) {
    return UINT32_MAX << index->bits;
}

static inline uint32_t index_tag(const struct index *index, const struct index_seek *seek) {
    return (uint32_t)(seek->hash >> 32) & index_mask(index);
}

/* Returns whether any word has the tag; most lines that a search passes have none. Words are written
 * atomically, so each one that is read here is either old or new. */
static inline bool line_may_have(const uint32_t *line, uint32_t tag, uint32_t mask) {
    typedef uint64_t halves __attribute__((vector_size(16)));
    const words *four = (const words *)line;
    const words tags = {tag, tag, tag, tag}, masks = {mask, mask, mask, mask};
    words any = (words)((four[0] & masks) == tags) | (words)((four[1] & masks) == tags) |
                (words)((four[2] & masks) == tags) | (words)((four[3] & masks) == tags);
    halves both = (halves)any;
    return both[0] | both[1];
}

/* Returns the number of the key; 0 if the line does not have it. */
static uint32_t line_find(const uint32_t *line, const struct index_seek *seek, uint32_t tag, uint32_t mask) {
    for (uint32_t i = 0; i < LINE; i++) {
        uint32_t word = __atomic_load_n(&line[i], __ATOMIC_ACQUIRE);
        if ((word & mask) == tag && word && seek->same(word & ~mask, seek->key))
            return word & ~mask;
    }
    return 0;
}

static inline uint32_t line_used(const uint32_t *line) {
    uint32_t used = 0;
    while (used < LINE && __atomic_load_n(&line[used | 3], __ATOMIC_ACQUIRE))
        used += 4;
    while (used < LINE && __atomic_load_n(&line[used], __ATOMIC_ACQUIRE))
        used++;
    return used;
}

static inline void seek_end(struct index_seek *seek, uint32_t chunk, uint32_t *line, uint32_t used) {
    seek->chunk = chunk;
    seek->word = used;
    seek->place = line && used < LINE ? line + used : NULL;
}

uint32_t index_find(const struct index *index, struct index_seek *seek) {
    uint32_t tag = index_tag(index, seek), mask = index_mask(index), found, number = 0, used = LINE,
             *line = NULL;
    for (; number < TABLE_CHUNKS && used == LINE; number++) {
        char *chunk = __atomic_load_n(&index->places.chunks[number], __ATOMIC_ACQUIRE);
        line = chunk ? index_line(index, chunk, number, seek->hash) : NULL;
        used = !line ? 0 : __atomic_load_n(&line[LINE - 1], __ATOMIC_ACQUIRE) ? LINE : line_used(line);
        if (line && line_may_have(line, tag, mask) && (found = line_find(line, seek, tag, mask)))
            return found;
    }
    seek_end(seek, number - 1, line, used);
    return 0;
}

uint32_t index_end(const struct index *index, struct index_seek *seek) {
    uint32_t number = 0, used = LINE, *line = NULL;
    for (; number < TABLE_CHUNKS && used == LINE; number++) {
        char *chunk = __atomic_load_n(&index->places.chunks[number], __ATOMIC_ACQUIRE);
        line = chunk ? index_line(index, chunk, number, seek->hash) : NULL;
        used = !line ? 0 : __atomic_load_n(&line[LINE - 1], __ATOMIC_ACQUIRE) ? LINE : line_used(line);
    }
    seek_end(seek, number - 1, line, used);
    return 0;
}

/* Returns whether the words before the i-th are used, as a search assumes that ends at the first free word.
 */
static inline bool line_is_filled_before(const uint32_t *line, uint32_t i) {
    return !i || __atomic_load_n(&line[i - 1], __ATOMIC_ACQUIRE);
}

/* Returns the number that the line has for the key after adding; 0 if the line is full. */
static uint32_t line_add(uint32_t *line, const struct index_seek *seek, uint32_t wanted, uint32_t mask) {
    for (uint32_t i = seek->word; i < LINE; i++) {
        uint32_t word = __atomic_load_n(&line[i], __ATOMIC_ACQUIRE);
        if (!word &&
            __atomic_compare_exchange_n(&line[i], &word, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            ASSERT(line_is_filled_before(line, i));
            return wanted & ~mask;
        }
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

/* For a search that ended without a free word, or if another thread has taken that word. */
static COLD uint32_t index_add_slow(struct index *index, struct index_seek *seek, uint32_t wanted) {
    uint32_t mask = index_mask(index), found = 0;
    for (; seek->chunk < TABLE_CHUNKS && !found; seek->chunk++, seek->word = 0) {
        char *chunk = chunk_made(index, seek->chunk);
        if (!chunk)
            return 0;
        found = line_add(index_line(index, chunk, seek->chunk, seek->hash), seek, wanted, mask);
    }
    return found;
}

uint32_t index_add(struct index *index, struct index_seek *seek, uint32_t number) {
    uint32_t wanted = index_tag(index, seek) | number, word = 0;
    ASSERT(number);
    if (number & index_mask(index))
        return 0;
    if (LIKELY(seek->place != NULL) &&
        LIKELY(__atomic_compare_exchange_n(seek->place, &word, wanted, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_ACQUIRE))) {
        ASSERT(line_is_filled_before(seek->place - seek->word, seek->word));
        return number;
    }
    return index_add_slow(index, seek, wanted);
}
