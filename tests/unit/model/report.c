/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports: merging, sorting, limiting rows. */
#include "report_rows.h"

static void merges_and_sorts(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.sort = SORT_BYTES});
    assert_int_equal(report.site_count, 4);
    assert_int_equal(report.counted, 3);
    assert_int_equal(report.shown, 3);
    assert_int_equal(report.sites[0]->view.id, 2);
    assert_int_equal(report.sites[1]->view.id, 1);
    assert_int_equal(report.sites[1]->counters.alloc_bytes, 400);
    assert_int_equal(report.totals.counters.allocs, 10);
    assert_int_equal(report.known.allocs, 5);
    assert_int_equal(report.module_count, 1);
}

/* Checks the id of the first site in each order. Sites without live blocks come last in the order by live. */
static void sorts_by_every_order(void **state) {
    (void)state;
    static const struct {
        struct report_limits limits;
        uint64_t first, last;
    } orders[] = {
        {{.sort = SORT_BYTES}, 2, 3}, {{.sort = SORT_ALLOCS}, 2, 1}, {{.sort = SORT_LIVE}, 1, 2},
        {{.sort = SORT_PEAK}, 2, 3},  {{.leaks = true}, 1, 3},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct report report = prepared(orders[i].limits);
        assert_int_equal(report.sites[0]->view.id, orders[i].first);
        assert_int_equal(report.sites[report.shown - 1]->view.id, orders[i].last);
    }
}

/* These blocks come last, in one row; the totals include them. */
static void blocks_kept_by_libraries_are_separate(void **state) {
    (void)state;
    static const struct {
        struct site_view view;
        uint64_t bytes;
        bool is_apart;
    } cases[] = {
        {{.module = "/lib/libc.so.6", .address = 1, .at.function = "_IO_file_doallocate"}, 4096, true},
        {{.module = "/lib/libc.so.6", .address = 1, .at.function = "getpwnam"}, 4096, false},
        {{.module = "/lib/libstdc++.so.6", .address = 1}, 72704, true},
        {{.module = "/lib/libstdc++.so.6", .address = 1}, 4096, false},
        {{.module = "/bin/p", .address = 1}, 72704, false},
        {{.module = "/bin/p", .address = 1, .at.function = "_GLOBAL__sub_I_eh_alloc.cc"}, 72704, true},
        {{.module = "/bin/p", .sited = true, .callee = "printf"}, 1024, true},
        {{.module = "/bin/p", .sited = true, .callee = "std::operator<<"}, 4096, true},
        {{.module = "/bin/p", .sited = true, .callee = "std::operator<<"}, 4000, false},
        {{.module = "/bin/p", .sited = true, .callee = "malloc"}, 4096, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report report = unprepared();
        copies[2].view = cases[i].view;
        copies[2].counters = (struct counters){
            .allocs = 1, .alloc_bytes = cases[i].bytes, .live_blocks = 1, .live_bytes = cases[i].bytes};
        report_prepare(&report, &(struct report_limits){.apart = true});
        assert_int_equal(report.apart_count, cases[i].is_apart);
        assert_int_equal(report.shown, 3 - cases[i].is_apart);
        assert_int_equal(report_hidden_count(&report), 0);
        assert_int_equal(report.totals.counters.live_bytes, 200 + cases[i].bytes);
        assert_int_equal(strstr(text_of(&report, FORMAT_TEXT), "start-up and stdio\n") != NULL,
                         cases[i].is_apart);
    }
    struct report report = unprepared();
    copies[2].counters.alloc_bytes = 4096;
    copies[2].view = cases[0].view;
    report_prepare(&report, &(struct report_limits){.apart = true, .leaks = true});
    assert_int_equal(report.shown, 1);
    assert_int_equal(report.sites[0]->view.id, 1);
}

static void a_merged_site_has_at_least_the_larger_maximum(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[3].counters.peak_blocks = 0;
    report_prepare(&report, &(struct report_limits){0});
    assert_int_equal(report.sites[1]->counters.max_live_blocks, 2);
    assert_int_equal(report.sites[1]->counters.max_live_blocks_within, 1);
}

/* At the end, and at the peak, all copies of a site existed together. */
static void a_merged_site_has_at_least_the_sum_of_its_copies(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[0].counters =
        (struct counters){.allocs = 5, .alloc_bytes = 200, .live_blocks = 2, .max_live_blocks = 3};
    copies[3].counters =
        (struct counters){.allocs = 5, .alloc_bytes = 200, .live_blocks = 2, .max_live_blocks = 3};
    report_prepare(&report, &(struct report_limits){0});
    assert_int_equal(report.sites[1]->counters.max_live_blocks, 4);
    assert_int_equal(report.sites[1]->counters.max_live_blocks_within, 2);
    report = unprepared();
    copies[0].counters =
        (struct counters){.allocs = 5, .alloc_bytes = 200, .peak_blocks = 3, .max_live_blocks = 3};
    copies[3].counters =
        (struct counters){.allocs = 5, .alloc_bytes = 200, .peak_blocks = 2, .max_live_blocks = 3};
    report_prepare(&report, &(struct report_limits){0});
    assert_int_equal(report.sites[1]->counters.max_live_blocks, 5);
    assert_int_equal(report.sites[1]->counters.max_live_blocks_within, 1);
}

static void merges_sizes_and_leaked_blocks(void **state) {
    (void)state;
    struct report report = unprepared();
    copies[0].sizes = sizes[0];
    copies[3].sizes = sizes[1];
    sizes[0][size_class(100)] = 3;
    sizes[1][size_class(100)] = 1;
    sizes[1][size_class(0)] = 2;
    copies[0].counters.leaked_blocks = copies[3].counters.leaked_blocks = 1;
    copies[0].counters.leaked_bytes = copies[3].counters.leaked_bytes = 100;
    report_prepare(&report, &(struct report_limits){0});
    assert_int_equal(report.sites[1]->sizes[size_class(100)], 4);
    assert_int_equal(report.sites[1]->sizes[0], 2);
    assert_int_equal(report.sites[1]->counters.leaked_bytes, 200);
    assert_int_equal(report.totals.counters.leaked_blocks, 2);
}

/* Pairs refer to the merged row, and equal pairs are merged. */
static void merges_pairs(void **state) {
    (void)state;
    struct report report = unprepared();
    add_pair(&report, FAULT_FOREIGN, -1, 4, 1, 0);
    add_pair(&report, PAIR_FREE, 3, 4, 1, 10);
    add_pair(&report, PAIR_FREE, 0, 2, 1, 500);
    add_pair(&report, PAIR_FREE, 0, 4, 2, 20);
    add_pair(&report, PAIR_REALLOC, 1, 1, 4, 3010);
    add_pair(&report, FAULT_DOUBLE_FREE, 1, 3, 1, 10);
    add_pair(&report, FAULT_DOUBLE_FREE, 1, 0, 1, 10);
    report_prepare(&report, &(struct report_limits){0});
    assert_int_equal(report.pair_count, 5);
    assert_int_equal(report.fault_count, 2);
    const struct report_site *f = report.sites[1];
    assert_int_equal(f->pair_count, 2);
    const struct report_pair *first = &report.pairs[f->first_pair];
    assert_int_equal(first[0].bytes, 500);
    assert_int_equal(first[1].count, 3);
    assert_int_equal(first[1].bytes, 30);
    assert_ptr_equal(first[1].owner, f);
    assert_int_equal(report.pairs[3].kind, FAULT_DOUBLE_FREE);
    assert_int_equal(report.pairs[3].count, 2);
    assert_ptr_equal(report.pairs[3].by, f);
}

static void cuts_and_adds_up(void **state) {
    (void)state;
    struct report report = prepared((struct report_limits){.top = 1});
    assert_int_equal(report.shown, 1);
    assert_int_equal(report.hidden.counters.allocs + report.sites[0]->counters.allocs,
                     report.totals.counters.allocs);
    assert_non_null(strstr(text_of(&report, FORMAT_TEXT), "2 more sites"));
    assert_non_null(strstr(text_of(&report, FORMAT_JSON), "\"sites_left_out\":2"));
    report = prepared((struct report_limits){.min_bytes = 401});
    assert_int_equal(report.shown, 1);
    report = prepared((struct report_limits){.min_allocs = 5});
    assert_int_equal(report.shown, 2);
    assert_int_equal(report.totals.counters.alloc_bytes, 510);
}

static void limits_follow_the_options(void **state) {
    (void)state;
    struct options options;
    options_default(&options);
    assert_int_equal(report_limits_of(&options).top, 20);
    options.format = FORMAT_CSV;
    assert_int_equal(report_limits_of(&options).top, 0);
    options.top_given = options.leaks = options.sizes = true;
    struct report_limits limits = report_limits_of(&options);
    assert_int_equal(limits.top, 20);
    assert_true(limits.leaks && limits.sizes && !limits.pairs);
}

static void size_classes(void **state) {
    (void)state;
    assert_int_equal(size_class(0), 0);
    assert_int_equal(size_class(1), 1);
    assert_int_equal(size_class(UINT64_MAX), SIZE_CLASSES - 1);
    for (unsigned i = 1; i < SIZE_CLASSES; i++) {
        assert_int_equal(size_class(size_class_start(i)), i);
        assert_int_equal(size_class(size_class_start(i) - 1), i - 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_and_sorts),
        cmocka_unit_test(sorts_by_every_order),
        cmocka_unit_test(blocks_kept_by_libraries_are_separate),
        cmocka_unit_test(a_merged_site_has_at_least_the_larger_maximum),
        cmocka_unit_test(a_merged_site_has_at_least_the_sum_of_its_copies),
        cmocka_unit_test(merges_sizes_and_leaked_blocks),
        cmocka_unit_test(merges_pairs),
        cmocka_unit_test(cuts_and_adds_up),
        cmocka_unit_test(limits_follow_the_options),
        cmocka_unit_test(size_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
