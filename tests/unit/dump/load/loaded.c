/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The laws of a report: one that holds, and each law violated by one number.
#include "dump/load/loaded.h"
#include "write/formats.h"

#include <string.h>

#include <cmocka.h>

enum { OWNER, FREER, LIBRARY, SITES };

static struct report_site sites[SITES], *order[SITES];
static struct report_pair pairs[3];
static struct report report;

/* A report with all data, for which every law holds. */
static int lawful(void **state) {
    (void)state;
    sites[OWNER] = (struct report_site){
        .view = {.id = 1, .sited = true, .callee = "malloc"},
        .counters = {.allocs = 5,
                     .alloc_bytes = 50,
                     .reallocs = 1,
                     .realloc_bytes = 20,
                     .realloc_old_bytes = 10,
                     .inherited_blocks = 1,
                     .inherited_bytes = 7,
                     .frees = 3,
                     .freed_bytes = 37,
                     .moved = 1,
                     .moved_bytes = 10,
                     .live_blocks = 3,
                     .live_bytes = 30,
                     .peak_bytes = 40,
                     .max_live_blocks = 2,
                     .max_live_blocks_within = 1,
                     .leaked_blocks = 3,
                     .leaked_bytes = 30},
    };
    sites[FREER] = (struct report_site){.view = {.id = 2, .sited = true, .callee = "free"}};
    sites[LIBRARY] = (struct report_site){.view = {.id = 3}, .counters = {.allocs = 1, .frees = 1}};
    pairs[0] = (struct report_pair){
        .kind = PAIR_FREE, .owner = &sites[OWNER], .by = &sites[FREER], .count = 3, .bytes = 37};
    pairs[1] = (struct report_pair){
        .kind = PAIR_REALLOC, .owner = &sites[OWNER], .by = &sites[OWNER], .count = 1, .bytes = 10};
    pairs[2] = (struct report_pair){
        .kind = PAIR_FREE, .owner = &sites[LIBRARY], .by = &sites[LIBRARY], .count = 1, .bytes = 0};
    for (int i = 0; i < SITES; i++)
        order[i] = &sites[i];
    report = (struct report){.sites = order,
                             .site_count = SITES,
                             .pairs = pairs,
                             .pair_count = 3,
                             .finished = true,
                             .has_pairs = true,
                             .reach = true};
    return 0;
}

static char laws[1024];

static void note(void *context, const struct report_breach *breach) {
    assert_ptr_equal(context, laws);
    strcat(strcat(laws, breach->site ? "site: " : "totals: "), breach->law);
    strcat(laws, "\n");
}

static const char *broken(void) {
    laws[0] = '\0';
    report_prepare(&report, &(struct report_limits){0});
    size_t count = report_check(&report, note, laws);
    for (const char *at = laws; (at = strchr(at, '\n')); at++)
        count--;
    assert_int_equal(count, 0);
    return laws;
}

static void a_lawful_report(void **state) {
    (void)state;
    assert_string_equal(broken(), "");
}

static void blocks(void **state) {
    (void)state;
    static const char law[] = "allocs + reallocs + inherited_blocks = frees + moved + live_blocks";
    sites[LIBRARY].counters.allocs++;
    assert_non_null(strstr(broken(), "totals: "));
    assert_non_null(strstr(laws, "site: "));
    assert_non_null(strstr(laws, law));
}

static void bytes(void **state) {
    (void)state;
    sites[OWNER].counters.inherited_bytes++;
    assert_string_equal(
        broken(),
        "totals: alloc_bytes + realloc_bytes + inherited_bytes = freed_bytes + moved_bytes + live_bytes\n"
        "site: alloc_bytes + realloc_bytes + inherited_bytes = freed_bytes + moved_bytes + live_bytes\n");
}

/* Two wrong sites whose errors cancel out. */
static void sites_are_checked_singly(void **state) {
    (void)state;
    sites[OWNER].counters.allocs++;
    sites[LIBRARY].counters.allocs--;
    assert_string_equal(broken(),
                        "site: allocs + reallocs + inherited_blocks = frees + moved + live_blocks\n"
                        "site: allocs + reallocs + inherited_blocks = frees + moved + live_blocks\n");
}

static void maxima(void **state) {
    (void)state;
    sites[OWNER].counters.max_live_blocks_within = 0;
    assert_string_equal(broken(), "site: live_blocks <= max_live_blocks + max_live_blocks_within\n");
}

static void peak(void **state) {
    (void)state;
    sites[OWNER].counters.peak_bytes = 29;
    assert_string_equal(broken(), "totals: live_bytes <= peak_bytes + peak_within\n");
    lawful(NULL);
    sites[OWNER].counters.peak_bytes = 29;
    report.peak_within = 1;
    assert_string_equal(broken(), "");
}

/* A share above the peak would mean a negative share elsewhere. */
static void shares_in_the_peak(void **state) {
    (void)state;
    sites[OWNER].counters.peak_bytes = 41;
    sites[LIBRARY].counters.peak_bytes = (uint64_t)-1;
    assert_string_equal(broken(), "site: peak_bytes <= peak_bytes in total\n"
                                  "site: peak_bytes <= peak_bytes in total\n");
}

static void possibly_leaked(void **state) {
    (void)state;
    sites[OWNER].counters.possibly_leaked_blocks = 1;
    sites[OWNER].counters.possibly_leaked_bytes = 1;
    assert_string_equal(broken(), "totals: possibly_leaked_blocks <= live_blocks - leaked_blocks\n"
                                  "totals: possibly_leaked_bytes <= live_bytes - leaked_bytes\n"
                                  "site: possibly_leaked_blocks <= live_blocks - leaked_blocks\n"
                                  "site: possibly_leaked_bytes <= live_bytes - leaked_bytes\n");
}

static void leaked(void **state) {
    (void)state;
    sites[OWNER].counters.leaked_blocks = 4;
    sites[OWNER].counters.leaked_bytes = 31;
    assert_string_equal(broken(), "totals: leaked_blocks <= live_blocks\ntotals: leaked_bytes <= live_bytes\n"
                                  "site: leaked_blocks <= live_blocks\nsite: leaked_bytes <= live_bytes\n");
}

static void each_number_of_the_pairs(void **state) {
    (void)state;
    static const struct {
        int pair;
        uint64_t count, bytes;
        const char *law;
    } cases[] = {
        {0, 1, 0, "site: count of pairs with kind free = frees\n"},
        {0, 0, 1, "site: bytes of pairs with kind free = freed_bytes\n"},
        {1, 1, 0, "site: count of pairs with kind realloc = moved\n"},
        {1, 0, 1, "site: bytes of pairs with kind realloc = moved_bytes\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lawful(NULL);
        pairs[cases[i].pair].count += cases[i].count;
        pairs[cases[i].pair].bytes += cases[i].bytes;
        assert_string_equal(broken(), cases[i].law);
    }
}

static void a_pair_that_is_missing(void **state) {
    (void)state;
    report.pair_count = 2;
    assert_string_equal(broken(), "site: count of pairs with kind free = frees\n");
}

/* A killed program may have counted a free but not yet its pair. */
static void pairs_are_not_asked_of_the_unfinished(void **state) {
    (void)state;
    report.pair_count = 2;
    report.finished = false;
    assert_string_equal(broken(), "");
}

/* Threads may still run when main returns, for example to wait for work. */
static void last_events_are_not_asked_of_threads_that_run_on(void **state) {
    (void)state;
    report.pair_count = 2;
    report.peak_within = 1;
    sites[OWNER].counters.max_live_blocks = sites[OWNER].counters.max_live_blocks_within = 0;
    assert_string_equal(broken(), "");
}

static void nor_where_the_peak_was_before_they_began(void **state) {
    static struct report_part parts[] = {{.thread = 0}, {.thread = 1}};
    (void)state;
    report.pair_count = 2;
    report.parts = parts;
    report.part_count = 2;
    assert_string_equal(broken(), "");
}

static void faults_are_no_frees(void **state) {
    (void)state;
    pairs[2].kind = FAULT_DOUBLE_FREE;
    assert_string_equal(broken(), "site: count of pairs with kind free = frees\n");
}

static void pairs_that_were_not_counted(void **state) {
    (void)state;
    report.pair_count = 0;
    report.has_pairs = false;
    assert_string_equal(broken(), "");
}

static void pairs_of_an_id_that_is_not_unique(void **state) {
    (void)state;
    report.pair_count = 2;
    sites[LIBRARY].shares_id = true;
    assert_string_equal(broken(), "");
}

#define TEST(name) cmocka_unit_test_setup(name, lawful)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_lawful_report),
        TEST(blocks),
        TEST(bytes),
        TEST(sites_are_checked_singly),
        TEST(maxima),
        TEST(peak),
        TEST(shares_in_the_peak),
        TEST(leaked),
        TEST(possibly_leaked),
        TEST(each_number_of_the_pairs),
        TEST(a_pair_that_is_missing),
        TEST(pairs_are_not_asked_of_the_unfinished),
        TEST(last_events_are_not_asked_of_threads_that_run_on),
        TEST(nor_where_the_peak_was_before_they_began),
        TEST(faults_are_no_frees),
        TEST(pairs_that_were_not_counted),
        TEST(pairs_of_an_id_that_is_not_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
