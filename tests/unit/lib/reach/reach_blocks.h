/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Blocks that only a test knows of, and looking for the lost ones.
#ifndef RT_REACH_BLOCKS_H
#define RT_REACH_BLOCKS_H

#include "lib/heap/shadow.h"
#include "lib/reach/still.h"

#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define SLOT 7

// A pointer in disguise, which reaches nothing.
typedef uintptr_t hidden;

static inline void *seen(hidden block) {
    __asm__ volatile("" : "+r"(block)); // or the compiler keeps the pointer for the next use
    return (void *)~block;
}

static inline hidden add_at(void *p, size_t size, uint32_t slot, enum family family) {
    assert_true(shadow_put(p, slot, family, size));
    return ~(uintptr_t)p;
}

// Memory that nobody had before: a pointer of cmocka's to a block that it freed may still stand somewhere.
static inline char *take(size_t size) {
    static uintptr_t rest; // disguised
    const size_t room = 1 << 20;
    if (!rest)
        rest = ~(uintptr_t)mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *p = seen(rest);
    rest -= (size + 31) & ~(size_t)15;
    return p;
}

__attribute__((noinline, unused)) static hidden add(size_t size) {
    return add_at(take(size), size, SLOT, FAMILY_MALLOC);
}

static inline void drop(hidden block) {
    shadow_drop(seen(block));
}

// Points the word at offset in one block to another.
__attribute__((noinline, unused)) static void point(hidden from, size_t offset, hidden to, size_t into) {
    void **word = (void **)((char *)seen(from) + offset);
    *word = (char *)seen(to) + into;
}

// So that no pointer of a call that is over stands in a gap of a frame to come.
__attribute__((noinline, unused)) static void clear_stack(void) {
    volatile char below[32768];
    memset((char *)below, 0, sizeof below);
}

static inline int before_test(void **state) {
    (void)state;
    clear_stack();
    return 0;
}

#define REACH_TEST(function) cmocka_unit_test_setup(function, before_test)

#define MOST                 16
struct found {
    hidden blocks[MOST];
    size_t count;
    uint64_t bytes;
    size_t possibly;
};

static inline void note(void *context, const void *p, const struct block *block, bool possibly) {
    struct found *found = context;
    found->possibly += possibly;
    assert_int_equal(block->state, BLOCK_LIVE);
    assert_int_equal(block->slot, SLOT);
    if (found->count < MOST)
        found->blocks[found->count] = ~(uintptr_t)p;
    found->count++;
    found->bytes += block->size;
}

__attribute__((noinline, unused)) static const char *search(struct found *found) {
    *found = (struct found){.count = 0};
    clear_stack();
    return reach_search(note, found);
}

static inline bool is_lost(const struct found *found, hidden block) {
    for (size_t i = 0; i < found->count && i < MOST; i++)
        if (found->blocks[i] == block)
            return true;
    return false;
}

static inline struct found found_now(void) {
    struct found found;
    assert_null(search(&found));
    return found;
}

#endif
