/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The share of padding in the blocks of a type. */
#include "group/groups.h"

#include <cmocka.h>

static struct type_use used(struct type_layout layout, uint64_t blocks, uint64_t size, uint64_t live) {
    static struct type_layout kept;
    struct type_use use = {.layout = NULL};
    struct counters counters = {
        .allocs = blocks, .alloc_bytes = blocks * size, .live_blocks = live, .live_bytes = live * size};
    kept = layout;
    type_use_add_site(&use, &kept, &counters);
    return use;
}

static void padding_of_blocks(void **state) {
    (void)state;
    const struct type_layout layout = {.state = TYPE_KNOWN, .size = 16, .padding = 7};
    struct type_use use = used(layout, 10, 16, 4);
    assert_true(use.padding == 70 && use.live_padding == 28 && use.bytes == 160 && use.live_bytes == 64);
    use = used(layout, 10, 64, 4); // arrays of four
    assert_true(use.padding == 280 && use.live_padding == 112);
    use = used(layout, 10, 41, 10); // with a trailing part
    assert_true(use.padding == 70 && use.live_padding == 70);
    use = used(layout, 10, 3, 10); // smaller than the type
    assert_true(use.padding == 7 && use.live_padding == 7);
    struct type_layout flexible = layout;
    flexible.is_flexible = true;
    use = used(flexible, 10, 64, 4);
    assert_true(use.padding == 70 && use.live_padding == 28);
}

static void types_without_a_layout(void **state) {
    (void)state;
    struct type_use use = {.layout = NULL};
    struct counters counters = {.allocs = 1, .alloc_bytes = 8};
    type_use_add_site(&use, NULL, &counters);
    assert_true(!use.layout && !use.bytes && !type_use_has_size(&use));
    use = used((struct type_layout){.state = TYPE_DIFFERS, .size = 8}, 1, 8, 1);
    assert_true(use.differs && !use.bytes && !type_use_has_size(&use));
    use = used((struct type_layout){.state = TYPE_VIRTUAL, .size = 8, .padding = 8}, 1, 8, 1);
    assert_true(type_use_has_size(&use) && !type_use_has_padding(&use) && !use.padding);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_of_blocks),
        cmocka_unit_test(types_without_a_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
