/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Grouping sites into rows, and the order of rows. */
#include "group/groups.h"

#include <cmocka.h>

enum { SITES = 3 };

static struct report_site
    buffer = {.view = {.module = "/lib/libc.so.6", .address = 1, .at.function = "_IO_file_doallocate"},
              .counters = {.allocs = 1, .alloc_bytes = 4096, .live_blocks = 1, .live_bytes = 4096}},
    small = {.view = {.module = "/bin/p", .sited = true, .at = {"f", "a.c", 1, 1}, .type = "int"},
             .counters = {.allocs = 2, .alloc_bytes = 8, .live_blocks = 1, .live_bytes = 4}},
    other = {.view = {.module = "/lib/libc.so.6", .address = 2},
             .counters = {.allocs = 1, .alloc_bytes = 100, .live_blocks = 1, .live_bytes = 100}};

/* Returns the last row. */
static struct group last_of(enum group_by by, bool apart, size_t expected) {
    static struct group rows[SITES];
    struct report_site *sites[SITES] = {&buffer, &small, &other};
    const struct report report = {.sites = sites, .site_count = SITES, .counted = SITES};
    struct groups groups = {.by = by, .apart = apart, .rows = rows};
    groups_enter(&groups, &report);
    groups_prepare(&groups, &(struct report_limits){.leaks = true});
    assert_int_equal(groups.shown, expected);
    assert_int_equal(groups.whole.counters.live_bytes, 4200);
    return rows[expected - 1];
}

static void allocations_of_libraries_come_last(void **state) {
    (void)state;
    static const enum group_by kinds[] = {BY_LINE, BY_FUNCTION, BY_FILE, BY_TYPE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct group last = last_of(kinds[i], true, 3);
        assert_true(last.key.is_apart);
        assert_int_equal(last.sum.counters.live_bytes, 4096);
        assert_false(last_of(kinds[i], false, kinds[i] == BY_FUNCTION ? 3 : 2).key.is_apart);
    }
    assert_false(last_of(BY_MODULE, true, 2).key.is_apart);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_of_libraries_come_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
