/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of custom allocators' blocks, and the order in which arenas handed them out. */
#include <string.h>

#include <cmocka.h>

#include "lib/base/state.h"
#include "lib/behind/arenas.h"
#include "lib/behind/blocks.h"
#include "lib/who/modules.h"
#include "lib/who/registry.h"

static char *const space = (char *)0x123456780000;

static void holds_blocks_of_any_address_and_size(void **state) {
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        assert_non_null(custom_block_put(space + i, i + 1, i == 63 ? CUSTOM_SIZE_MASK : i, i % 2).entry);
    for (unsigned i = 0; i < 64; i++) {
        struct custom_block block = custom_block_find(space + i, false);
        assert_non_null(block.entry);
        assert_int_equal(custom_slot(*block.entry), i + 1);
        assert_int_equal(custom_size(*block.entry), i == 63 ? CUSTOM_SIZE_MASK : i);
        assert_int_equal(!!(*block.entry & CUSTOM_BACKING), i % 2);
        *block.entry = 0;
        assert_null(custom_block_find(space + i, false).entry);
    }
    assert_null(custom_block_put(space, 1, CUSTOM_SIZE_MASK + 1, false).entry);
    assert_null(custom_block_put((void *)-16, 1, 1, false).entry);
    assert_null(custom_block_find((void *)-16, false).entry);
}

static void keeps_blocks_at_one_address_apart(void **state) {
    (void)state;
    struct custom_block chunk = custom_block_put(space, 1, 4096, true),
                        block = custom_block_put(space, 2, 16, false);
    assert_ptr_equal(custom_block_find(space, true).entry, chunk.entry);
    assert_ptr_equal(custom_block_find(space, false).entry, block.entry);
    assert_non_null(custom_block_put(space, 3, 8, false).entry);
    assert_non_null(custom_block_put(space, 4, 8, false).entry);
    assert_null(custom_block_put(space, 5, 8, false).entry);
    assert_null(custom_block_alone(space));
    for (unsigned i = 0; i < 4; i++)
        *custom_block_find(space, false).entry = 0;
    assert_null(custom_block_find(space, false).entry);
}

static void take_out(void *count, const struct custom_block *block) {
    assert_ptr_equal(block->entry, custom_block_at(block->p, block->depth).entry);
    *block->entry = 0;
    custom_arena_remove(block);
    ++*(unsigned *)count;
}

/* Also where the range begins and ends between tables. */
static void finds_blocks_in_a_range(void **state) {
    (void)state;
    char *edge = (char *)(((uintptr_t)space | 0x3FFFFFF) + 1);
    for (int at = -100; at < 100; at += 5)
        assert_non_null(custom_block_put(edge + at, 1, 5, false).entry);
    unsigned count = 0;
    custom_blocks_within(edge - 50, 75, take_out, &count);
    assert_int_equal(count, 15);
    custom_blocks_within(edge, 0, take_out, &count);
    custom_blocks_within((void *)-100, 1000, take_out, &count);
    assert_int_equal(count, 15);
    custom_blocks_each(take_out, &count);
    assert_int_equal(count, 40);
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
    assert_int_equal(release("a", 0), 901); /* no such mark: all */
    assert_int_equal(release("b", (uintptr_t)space - 16), 1);
    assert_false(hole_is_set(HOLE_ARENA));
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
    assert_false(hole_is_set(HOLE_ARENA));
    assert_int_equal(release("a", 1), 0);
    assert_true(hole_is_set(HOLE_ARENA));
    assert_int_equal(release("a", 0), 1);
}

/* That one is known shows in what a release to it takes back. */
static void marks_pile_up_for_nobody(void **state) {
    (void)state;
    unsigned count = 0;
    for (unsigned i = 1; i <= 1000; i++) { /* there always is a block behind the newest mark */
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
        cmocka_unit_test(holds_blocks_of_any_address_and_size),
        cmocka_unit_test(keeps_blocks_at_one_address_apart),
        cmocka_unit_test(finds_blocks_in_a_range),
        cmocka_unit_test(goes_back_to_marks_and_blocks),
        cmocka_unit_test(a_block_that_is_reallocated_keeps_its_place),
        cmocka_unit_test(forgets_marks_beyond_the_last_ones),
        cmocka_unit_test(marks_pile_up_for_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
