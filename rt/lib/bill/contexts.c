/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/bill/contexts.h"

#include "lib/base/os.h"

enum { SIZE_FIRST = 1 << 12, SIZE_LAST = 1 << 18, STEP = 1 << 3, LINE = 8 };

__thread uint64_t context;
uint64_t *contexts, contexts_size = SIZE_FIRST;
bool contexts_hot, contexts_full;

static uint64_t kept; /* words of the present table that are in use */

bool contexts_begin(void) {
    contexts = os_map(2 * sizeof *contexts * SIZE_LAST, OS_FORK_KEEPS);
    return contexts;
}

/* The i-th word, of a cache line, that may hold it, from that which is looked into first. */
static uint64_t *word_of(uint64_t size, uint64_t hash, uint64_t i) {
    uint64_t at = hash & (size - 1);
    return &contexts[size | (at & -(uint64_t)LINE) | ((at + i) & (LINE - 1))];
}

static uint32_t find_in(uint64_t size, uint64_t hash) {
    const uint64_t *line = &contexts[size | (hash & (size - 1) & -(uint64_t)LINE)];
    uint32_t part = 0;
#pragma GCC unroll 8
    for (int i = 0; i < LINE; i++)
        part |= context_in(__atomic_load_n(&line[i], __ATOMIC_RELAXED), hash);
    return part;
}

/* What stands in a table before moves into the present one. */
uint32_t context_find(uint64_t hash) {
    uint64_t size = __atomic_load_n(&contexts_size, __ATOMIC_RELAXED);
    uint32_t part = find_in(size, hash);
    while (!part && size > SIZE_FIRST) {
        part = find_in(size /= STEP, hash);
        if (part)
            context_keep(hash, part);
    }
    return part;
}

static void grow(uint64_t size) {
    if (size < SIZE_LAST && __atomic_compare_exchange_n(&contexts_size, &size, STEP * size, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        __atomic_store_n(&kept, 0, __ATOMIC_RELAXED);
}

/* In the first word of the line that is free; if there is none, in its first one of all. */
void context_keep(uint64_t hash, uint32_t part) {
    uint64_t size = __atomic_load_n(&contexts_size, __ATOMIC_RELAXED), i = 0;
    while (i < LINE && __atomic_load_n(word_of(size, hash, i), __ATOMIC_RELAXED))
        i++;
    __atomic_store_n(word_of(size, hash, i % LINE), (hash & ~CONTEXT_SLOT) | part, __ATOMIC_RELAXED);
    if (i < LINE && __atomic_add_fetch(&kept, 1, __ATOMIC_RELAXED) > size / 2)
        grow(size);
}
