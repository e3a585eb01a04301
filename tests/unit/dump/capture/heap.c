/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/capture/heap.h"

#include <cmocka.h>

enum { BLOCKS = 3000 };

/* Makes blocks that are close together, far apart, at the same address, and large. */
static void make_blocks(struct heap_block *blocks) {
    static const uint64_t steps[] = {32, 48, 0, 512, 513, 4096, 65536, 65537, 1 << 20, UINT64_C(1) << 40};
    uint64_t at = 4096 + 16;
    unsigned random = 1;
    for (size_t i = 0; i < BLOCKS; i++) {
        random = random * 1664525 + 1013904223;
        uint64_t step = steps[random >> 24 & 3 ? random >> 20 & 1 : (random >> 16) % 10];
        blocks[i] = (struct heap_block){.start = at, .size = step / 2};
        at += step;
    }
}

static size_t naive(const struct heap_block *blocks, uint64_t address) {
    size_t found = FINDER_NONE;
    for (size_t i = 0; i < BLOCKS && blocks[i].start <= address; i++)
        found = i;
    return found;
}

static void the_last_block_that_begins_before_an_address_is_found(void **state) {
    static const int64_t around[] = {-65536, -4096, -512, -1, 0, 1, 511, 512, 65536};
    static struct heap_block blocks[BLOCKS];
    const struct heap heap = {.blocks = blocks, .count = BLOCKS};
    const struct image image = {.count = 0};
    struct finder finder;
    (void)state;
    make_blocks(blocks);
    finder_open(&finder, &heap, &image);
    for (size_t i = 0; i < BLOCKS; i++)
        for (size_t j = 0; j < sizeof around / sizeof *around; j++) {
            uint64_t address = blocks[i].start + (uint64_t)around[j];
            assert_int_equal(finder_before(&finder, address), naive(blocks, address));
        }
    assert_int_equal(finder_before(&finder, 0), FINDER_NONE);
    assert_int_equal(finder_before(&finder, UINT64_MAX - 1), BLOCKS - 1);
    finder_close(&finder);
}

static void without_blocks_none_is_found(void **state) {
    const struct heap heap = {.count = 0};
    const struct image image = {.count = 0};
    struct finder finder;
    (void)state;
    finder_open(&finder, &heap, &image);
    assert_int_equal(finder_before(&finder, 4096), FINDER_NONE);
    finder_close(&finder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_block_that_begins_before_an_address_is_found),
        cmocka_unit_test(without_blocks_none_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
