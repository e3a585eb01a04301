/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/paths/stack_cache.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/walk/walk.h"

#include <string.h>

enum { WORDS_MOST = 64, AREA_WORDS = 1 << 19, OTHERS_MOST = 8 };

struct kept {
    uint32_t key, next; /* index of the next entry with the same number; 0: last */
    uint32_t depth;     /* of the frame */
    uint16_t codes, places;
    uintptr_t word[]; /* the words of all notes, then their distances below the end, two in one word */
};

static uintptr_t *area;
static uint32_t taken = 1; /* words */

bool stack_cache_begin(void) {
    uintptr_t *none = NULL, *fresh = area ? NULL : os_map(sizeof *area * AREA_WORDS, OS_FORK_KEEPS);
    if (fresh && !__atomic_compare_exchange_n(&area, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        os_unmap(fresh, sizeof *area * AREA_WORDS);
    return area;
}

static inline struct kept *stack_cache_at(uint32_t index) {
    return (struct kept *)(void *)&area[index];
}

static inline uint32_t depth_of(const void *frame) {
    return (uint32_t)(local.stack.high - (uintptr_t)frame);
}

static inline bool is_same_stack(const struct kept *kept) {
    uintptr_t end = local.stack.high;
    const uint32_t *below = (const uint32_t *)(const void *)&kept->word[kept->codes + kept->places];
    uint32_t i = 0;
    for (; i < kept->codes; i++)
        if (walk_word(end - below[i]) != kept->word[i])
            return false;
    for (uint32_t all = i + kept->places; i < all; i++)
        if (walk_word(end - below[i]) - end != kept->word[i])
            return false;
    return true;
}

/* Compares only frames on the thread's own stack, where all words from the frame to the stack's end are
 * readable. */
uint32_t stack_cache_find(uint32_t cached, const void *frame) {
    if ((uintptr_t)frame - local.stack.low >= local.stack.high - local.stack.low)
        return ALLOCSITE_KEY_NONE;
    for (uint32_t index = (cached & ~KEY_SLOW) >> 1; index;) {
        const struct kept *kept = stack_cache_at(index);
        if (LIKELY(kept->depth == depth_of(frame)) && is_same_stack(kept))
            return kept->key;
        index = __atomic_load_n(&kept->next, __ATOMIC_ACQUIRE);
    }
    return ALLOCSITE_KEY_NONE;
}

static size_t words_of(size_t notes) {
    return sizeof(struct kept) / sizeof(uintptr_t) + notes + (notes + 1) / 2;
}

/* Return addresses first. */
static void stack_cache_fill(struct kept *kept, const struct walk_note *notes, size_t count) {
    uint32_t *below = (uint32_t *)(void *)&kept->word[count], filled = 0;
    for (int is_place = 0; is_place < 2; is_place++)
        for (size_t i = 0; i < count; i++) {
            if (notes[i].is_place != is_place)
                continue;
            kept->word[filled] = notes[i].word;
            below[filled++] = notes[i].below;
            *(is_place ? &kept->places : &kept->codes) += 1;
        }
}

/* Returns the `next` of the last entry in a list; NULL: the list is full. */
static uint32_t *end_of(uint32_t cached) {
    uint32_t *next = &stack_cache_at((cached & ~KEY_SLOW) >> 1)->next;
    for (uint32_t count = 1; count < OTHERS_MOST; count++) {
        uint32_t index = __atomic_load_n(next, __ATOMIC_ACQUIRE);
        if (!index)
            return next;
        next = &stack_cache_at(index)->next;
    }
    return NULL;
}

/* Returns the index of unused words; 0: the area is full. */
static uint32_t stack_cache_take(size_t words) {
    if (__atomic_load_n(&taken, __ATOMIC_RELAXED) + words > AREA_WORDS)
        return 0;
    uint32_t index = __atomic_fetch_add(&taken, (uint32_t)words, __ATOMIC_RELAXED);
    return index + words > AREA_WORDS ? 0 : index;
}

uint32_t stack_cache_keep(uint32_t others, const void *frame, size_t frames, uint32_t key) {
    struct walk_note notes[WORDS_MOST];
    uint32_t *end = stack_cache_is(others) ? end_of(others) : NULL, none = 0;
    bool is_wanted = end || others == ALLOCSITE_KEY_NONE;
    size_t count = is_wanted ? walk_notes(frame, frames, notes, WORDS_MOST) : 0;
    uint32_t index = count ? stack_cache_take(words_of(count)) : 0;
    if (!index)
        return ALLOCSITE_KEY_NONE;
    *stack_cache_at(index) = (struct kept){.key = key, .depth = depth_of(frame)};
    stack_cache_fill(stack_cache_at(index), notes, count);
    if (!end)
        return KEY_SLOW | index << 1 | 1;
    __atomic_compare_exchange_n(end, &none, index, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return ALLOCSITE_KEY_NONE;
}
