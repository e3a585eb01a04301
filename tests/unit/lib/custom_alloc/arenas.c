/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The order in which arenas allocated their blocks, and releases in that order. */
#include "lib/custom_alloc/arenas.h"
#include "lib/base/state.h"

#include <cmocka.h>

static char *const space = (char *)0x123456780000;

static void take_out(void *count, const struct custom_block *block) {
    *block->entry = 0;
    custom_arena_remove(block);
    ++*(unsigned *)count;
}

static void add(const void *arena, char *p) {
    struct custom_block block = custom_block_put(p, 1, 1, false);
    custom_arena_add(arena, &block);
}

static unsigned release(const void *arena, uint64_t mark) {
    unsigned count = 0;
    custom_arena_release(arena, mark, take_out, &count);
    return count;
}

static void goes_back_to_marks_and_blocks(void **state) {
    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        add("a", space + 16 * i);
    custom_arena_mark("a", 77);
    for (unsigned i = 1000; i < 1300; i++)
        add("a", space + 16 * i);
    add("b", space - 16);
    struct custom_block one = custom_block_find(space + 16 * 1100, false);
    unsigned count = 0;
    take_out(&count, &one);
    assert_int_equal(release("a", 77), 299);
    assert_int_equal(release("a", 77), 0);
    assert_int_equal(release("a", (uintptr_t)space + 16 * 900), 100);
    add("a", space + 16 * 900);
    assert_int_equal(release("a", 0), 901); /* no such mark: releases all */
    assert_int_equal(release("b", (uintptr_t)space - 16), 1);
    assert_false(gap_is_set(GAP_ARENA));
}

static void a_block_that_is_reallocated_keeps_its_place(void **state) {
    (void)state;
    add("a", space);
    custom_arena_mark("a", 5);
    struct custom_block block = custom_block_find(space, false);
    uint32_t node = custom_arena_detach(&block);
    custom_arena_attach(&block, node);
    assert_int_equal(release("a", 5), 0);
    assert_int_equal(release("a", 0), 1);
}

static void forgets_marks_beyond_the_last_ones(void **state) {
    (void)state;
    add("a", space);
    for (unsigned i = 1; i <= CUSTOM_MARKS + 1; i++)
        custom_arena_mark("a", i);
    assert_int_equal(release("a", 2), 0);
    assert_false(gap_is_set(GAP_ARENA));
    assert_int_equal(release("a", 1), 0);
    assert_true(gap_is_set(GAP_ARENA));
    assert_int_equal(release("a", 0), 1);
}

/* A mark is known if a release to it frees a block. */
static void old_marks_are_dropped(void **state) {
    (void)state;
    unsigned count = 0;
    for (unsigned i = 1; i <= 1000; i++) { /* the newest mark is always followed by a block */
        add("a", space + 16 * i);
        custom_arena_mark("a", i);
        struct custom_block before = custom_block_find(space + 16 * (i - 1), false);
        if (before.entry)
            take_out(&count, &before);
    }
    assert_int_equal(count, 999);
    assert_int_equal(release("a", 1000 - CUSTOM_MARKS - 1), 0);
    assert_int_equal(release("a", 1000 - CUSTOM_MARKS), 1);
    assert_int_equal(release("a", 0), 0);
    for (unsigned i = 1; i <= 1000; i++) {
        add("a", space + 16 * i);
        custom_arena_mark("a", i);
    }
    for (unsigned i = 1; i <= 1000; i++) {
        struct custom_block block = custom_block_find(space + 16 * (i * 7 % 1000 + 1), false);
        take_out(&count, &block);
    }
    add("a", space);
    assert_int_equal(release("a", 1000 - CUSTOM_MARKS), 0);
    assert_int_equal(release("a", 1000 - CUSTOM_MARKS + 1), 1);
    assert_int_equal(release("a", 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_back_to_marks_and_blocks),
        cmocka_unit_test(a_block_that_is_reallocated_keeps_its_place),
        cmocka_unit_test(forgets_marks_beyond_the_last_ones),
        cmocka_unit_test(old_marks_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
