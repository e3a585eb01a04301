/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of custom allocators' blocks. */
#include "lib/custom_alloc/arenas.h"

#include <cmocka.h>

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
        assert_int_equal(!!(*block.entry & CUSTOM_CHUNK), i % 2);
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
    ++*(unsigned *)count;
}

/* Also tests ranges that begin or end between tables. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_blocks_of_any_address_and_size),
        cmocka_unit_test(keeps_blocks_at_one_address_apart),
        cmocka_unit_test(finds_blocks_in_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
