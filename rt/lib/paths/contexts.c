/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/paths/contexts.h"

#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"

/* A word of the table has the number of a context, and above it the bits of the hash. LINE: the words of a
 * cache line. A search looks through one line only. */
enum { NUMBER_BITS = 18, SIZE_FIRST = 1 << 12, SIZE_LAST = 1 << NUMBER_BITS, LINE = 16 };

#define NUMBER_MASK ((UINT32_C(1) << NUMBER_BITS) - 1)

__thread uint64_t context;
bool contexts_hot;

/* The table of n words begins at its n-th word. */
static uint32_t *table, size = SIZE_FIRST;

/* Indexed by number. Number 0 is not used. */
struct context_known *contexts_known = &context_none;

static uint32_t numbers; /* assigned so far, including requests that found no room */

bool contexts_begin(void) {
    table = os_map(2 * sizeof *table * SIZE_LAST, OS_FORK_KEEPS);
    struct context_known *places = table ? os_map(sizeof *places << NUMBER_BITS, OS_FORK_KEEPS) : NULL;
    contexts_known = places ? places : contexts_known;
    return places;
}

/* Returns the i-th word that may hold the hash, in one cache line, beginning with the word that is read
 * first. */
static inline uint32_t *word_of(uint32_t of_size, uint64_t hash, uint32_t i) {
    uint32_t at = (uint32_t)hash & (of_size - 1);
    return &table[of_size | (at & -(uint32_t)LINE) | ((at + i) & (LINE - 1))];
}

static inline uint32_t tag_of(uint64_t hash) {
    return (uint32_t)(hash >> 32) & ~NUMBER_MASK;
}

/* Notes a context that was found by the table, or is new: it follows the thread's last one from now on, and
 * is among its recent ones. */
static inline void contexts_note(struct context_known *known, uint64_t hash) {
    struct context_known *last = local.context_last;
    struct thread *thread = local.thread;
    if (UNLIKELY(!contexts_hot))
        return;
    if (LIKELY(last != &context_none))
        __atomic_store_n(&last->next, (int32_t)((char *)known - (char *)last), __ATOMIC_RELAXED);
    local.context_last = known;
    if (LIKELY(thread != NULL)) /* else it is ending, or has counted nothing yet */
        thread->contexts_lately[hash % CONTEXTS_LATELY] = (uint32_t)((char *)known - (char *)contexts_known);
}

/* Words are never removed, so the search ends at a free one. */
uint32_t context_find(uint64_t hash) {
    uint32_t of_size = __atomic_load_n(&size, __ATOMIC_RELAXED), tag = tag_of(hash), word = 1;
    for (uint32_t i = 0; i < LINE && word; i++) {
        word = __atomic_load_n(word_of(of_size, hash, i), __ATOMIC_RELAXED);
        if (!word || (word ^ tag) & ~NUMBER_MASK)
            continue;
        struct context_known *known = &contexts_known[word & NUMBER_MASK];
        if (UNLIKELY(!context_is(known, hash)))
            continue;
        ASSERT(known->key && known->key != ALLOCSITE_KEY_NONE);
        contexts_note(known, hash);
        return known->key;
    }
    return ALLOCSITE_KEY_NONE;
}

/* Writes the first free word of the line; if there is none, any word. */
static void contexts_enter(uint32_t of_size, uint64_t hash, uint32_t number) {
    uint32_t i = 0;
    while (i < LINE && __atomic_load_n(word_of(of_size, hash, i), __ATOMIC_RELAXED))
        i++;
    __atomic_store_n(word_of(of_size, hash, i < LINE ? i : number), tag_of(hash) | number, __ATOMIC_RELAXED);
}

/* Returns the smaller table's memory to the system. A thread that still looks there finds nothing, and walks.
 */
static void contexts_grow(uint32_t from, uint32_t count) {
    uint32_t *smaller = &table[from];
    for (uint32_t number = 1; number < count; number++)
        contexts_enter(2 * from, __atomic_load_n(&contexts_known[number].hash, __ATOMIC_RELAXED), number);
    if (__atomic_compare_exchange_n(&size, &from, 2 * from, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        os_empty(smaller, from * sizeof *table);
}

/* At most 5 of 8 words are used, so that few lines are full. */
static inline bool is_filled(uint32_t of_size, uint32_t count) {
    return count > of_size / 8 * 5 && of_size < SIZE_LAST;
}

void context_keep(uint64_t hash, uint32_t key) {
    uint32_t now = __atomic_load_n(&size, __ATOMIC_ACQUIRE);
    if (UNLIKELY(__atomic_load_n(&numbers, __ATOMIC_RELAXED) >= NUMBER_MASK))
        return;
    uint32_t number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
    if (UNLIKELY(number > NUMBER_MASK))
        return;
    struct context_known *known = &contexts_known[number];
    ASSERT(!known->hash && !known->key); /* written once */
    known->key = key;
    __atomic_store_n(&known->hash, hash, __ATOMIC_RELEASE);
    contexts_note(known, hash);
    contexts_enter(now, hash, number);
    if (is_filled(now, number))
        contexts_grow(now, number);
}
