/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of types: padding. */
#include "dump/types/layout.h"

#include <cmocka.h>

static struct type_layout filled(uint64_t size, struct type_extent *extents, size_t count) {
    struct type_layout layout = {.state = TYPE_KNOWN, .size = size};
    type_layout_fill(&layout, extents, count);
    return layout;
}

static void padding_between_and_after_members(void **state) {
    (void)state;
    struct type_extent extents[] = {{8, 12, "b", NULL}, {0, 1, "a", "a"}, {4, 6, "u", "x"}, {4, 5, "u", "y"}};
    struct type_layout layout = filled(16, extents, 4);
    assert_int_equal(layout.padding, 3 + 2 + 4);
    assert_int_equal(layout.holes_count, 3);
    assert_true(layout.holes[0].offset == 1 && layout.holes[0].size == 3);
    assert_string_equal(layout.holes[0].after, "a");
    assert_string_equal(layout.holes[1].after, "u.x");
    assert_true(layout.holes[2].offset == 12 && layout.holes[2].size == 4);
}

static void a_type_without_members(void **state) {
    (void)state;
    struct type_layout layout = filled(1, NULL, 0);
    assert_true(layout.padding == 1 && layout.holes_count == 1);
    assert_string_equal(layout.holes[0].after, "");
}

// Damaged debug information may contain anything.
static void members_that_are_outside(void **state) {
    (void)state;
    struct type_extent extents[] = {{0, 2, "a", NULL}, {100, 200, "b", NULL}, {7, 3, "c", NULL}};
    assert_int_equal(filled(8, extents, 3).padding, 6);
    struct type_extent wide[] = {{0, 100, "a", NULL}};
    assert_int_equal(filled(8, wide, 1).padding, 0);
}

static void members_without_an_end(void **state) {
    (void)state;
    struct type_extent extents[] = {
        {0, 4, "a", NULL}, {4, TYPE_EXTENT_OPEN, "b", NULL}, {4, 5, "c", NULL}, {16, 17, "d", NULL}};
    assert_int_equal(filled(24, extents, 4).padding, 7);
    struct type_extent last[] = {{8, TYPE_EXTENT_OPEN, "b", NULL}};
    assert_int_equal(filled(24, last, 1).padding, 8);
}

static void more_holes_than_are_kept(void **state) {
    (void)state;
    enum { MEMBERS = 2 * TYPE_HOLES_MAX };
    struct type_extent extents[MEMBERS];
    for (uint64_t i = 0; i < MEMBERS; i++)
        extents[i] = (struct type_extent){2 * i, 2 * i + 1, "a", NULL};
    struct type_layout layout = filled(2 * MEMBERS, extents, MEMBERS);
    assert_true(layout.padding == MEMBERS && layout.holes_count == MEMBERS);
}

static void layouts_of_one_name(void **state) {
    (void)state;
    struct type_layout layout = {.state = TYPE_UNKNOWN},
                       partial = {.state = TYPE_KNOWN, .size = 8, .is_partial = true},
                       whole = {.state = TYPE_KNOWN, .size = 8, .padding = 3},
                       other = {.state = TYPE_KNOWN, .size = 9};
    type_layout_join(&layout, &partial);
    assert_int_equal(layout.state, TYPE_KNOWN);
    type_layout_join(&layout, &whole);
    type_layout_join(&layout, &partial);
    assert_true(layout.state == TYPE_KNOWN && layout.padding == 3 && !layout.is_partial);
    type_layout_join(&layout, &other);
    assert_int_equal(layout.state, TYPE_DIFFERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_between_and_after_members), cmocka_unit_test(a_type_without_members),
        cmocka_unit_test(members_that_are_outside),          cmocka_unit_test(members_without_an_end),
        cmocka_unit_test(more_holes_than_are_kept),          cmocka_unit_test(layouts_of_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
