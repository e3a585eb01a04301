/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Counts by line, function, file, type, module, thread and phase.
#include "dump/join/join.h"
#include "dump/view/view.h"
#include "profile_image.h"

#include <stdlib.h>

#include <cmocka.h>

static struct image image;
static struct image_tables tables;
static struct profile_block *blocks;
static struct tally *other; // in block 1
static struct report_source source;
static struct groups groups;
static struct reason why;

static const struct report_limits everything;

static int begin(void **state) {
    (void)state;
    image_begin(&image);
    tables = image_tables(&image);
    blocks = image_add(&image, PROFILE_BLOCKS, 0, 0, 1);
    other = image_add(&image, PROFILE_TALLIES, 1, 0, 1);
    groups = (struct groups){.by = BY_PHASE};
    return 0;
}

static int end(void **state) {
    (void)state;
    groups_free(&groups);
    return 0;
}

static void read_image(void) {
    source = (struct report_source){.report = &source.profile.report};
    assert_true(profile_read(&source.profile, image.bytes, image.size, &why));
}

// Groups the stacks of the image, and leaves its report prepared.
static void add_parts(void) {
    read_image();
    assert_true(groups_need_parts(&source, groups.by, &why));
    groups_add_parts(&groups, source.report);
    report_prepare(source.report, &everything);
}

static bool is_named(const char *name, const char *wanted) {
    return name && wanted ? strcmp(name, wanted) == 0 : name == wanted;
}

static const struct counters *row(const char *name, uint64_t number) {
    for (size_t i = 0; i < groups.count; i++)
        if (is_named(groups.rows[i].key.name, name) && groups.rows[i].key.number == number)
            return &groups.rows[i].sum.counters;
    fail_msg("no row of %s %d", name ? name : "nothing", (int)number);
    return NULL;
}

static int checked(void) {
    groups_prepare(&groups, &everything);
    return groups_check("p", &groups, source.report);
}

static const char *written(enum report_format format) {
    static char text[8192];
    struct out out;
    out_open_memory(&out, text, sizeof text);
    groups_write(&out, &groups, source.report, format);
    return text;
}

static void assert_has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("no %s in %s", part, text);
}

static void names(void **state) {
    (void)state;
    enum group_by by;
    assert_true(group_by_read("thread", 6, &by) && by == BY_THREAD);
    assert_true(group_by_read("site", 4, &by) && by == BY_SITE);
    assert_false(group_by_read("threads", 7, &by) || group_by_read("", 0, &by));
    assert_string_equal(group_by_name(BY_PHASE), "phase");
}

static void phases_of_several_threads(void **state) {
    (void)state;
    struct tally *third = image_add(&image, PROFILE_TALLIES, 2, 0, 1);
    blocks[1] = (struct profile_block){.phase = image_name(&image, "parsing")};
    blocks[2] = (struct profile_block){.phase = blocks[1].phase, .thread = 1};
    tables.tallies[1] = (struct tally){.allocated = 5, .allocated_bytes = 50};
    tables.tallies[2] =
        (struct tally){.allocated = 10, .allocated_bytes = 1000, .released = 1, .released_bytes = 100};
    tables.extras[2] = (struct extra){.reallocs = 4, .realloc_bytes = 300, .moved = 1, .moved_bytes = 100};
    other[2] = (struct tally){.allocated = 1, .allocated_bytes = 100, .released = 8, .released_bytes = 800};
    third[1] = (struct tally){.released = 3, .released_bytes = 30};
    add_parts();
    assert_int_equal(groups.count, 2);
    const struct counters *none = row(NULL, 0), *parsing = row("parsing", 0);
    assert_true(none->allocs == 11 && none->alloc_bytes == 750 && none->reallocs == 4);
    assert_true(none->realloc_bytes == 300 && none->frees == 0 && none->moved == 1 &&
                none->moved_bytes == 100);
    assert_true(none->live_blocks == 14 && none->live_bytes == 950);
    assert_true(parsing->allocs == 1 && parsing->frees == 11 && parsing->freed_bytes == 830);
    assert_true((int64_t)parsing->live_blocks == -10 && (int64_t)parsing->live_bytes == -730);
    assert_int_equal(checked(), 0);
    profile_read_free(&source.profile);
}

static void threads_of_several_phases(void **state) {
    (void)state;
    groups.by = BY_THREAD;
    struct tally *third = image_add(&image, PROFILE_TALLIES, 2, 0, 1);
    blocks[1] = (struct profile_block){.phase = image_name(&image, "parsing"), .thread = 7};
    blocks[2] = (struct profile_block){.thread = 7};
    tables.tallies[2].allocated = 1;
    other[2].allocated = 2;
    third[2].allocated = 4;
    add_parts();
    assert_int_equal(groups.count, 2);
    assert_int_equal(row(NULL, 0)->allocs, 1);
    assert_int_equal(row(NULL, 7)->allocs, 6);
    assert_int_equal(groups.rows[0].key.pid, 42);
    assert_int_equal(checked(), 0);
    profile_read_free(&source.profile);
}

// Phases of several processes are joined by name; threads are per process.
static void several_processes(void **state) {
    (void)state;
    for (enum group_by by = BY_THREAD; by <= BY_PHASE; by++) {
        struct joined joined = {.reports = 0};
        groups = (struct groups){.by = by};
        blocks[1].phase = image_name(&image, "parsing");
        other[2].allocated = 2;
        for (int i = 0; i < 3; i++) {
            image_header(&image)->pid = i == 2 ? 43 : 42;
            read_image();
            joined_add(&joined, source.report);
            profile_read_free(&source.profile);
        }
        joined_report(&joined);
        assert_int_equal(joined.report.part_count, 2 * 2); // two blocks
        groups_add_parts(&groups, &joined.report);
        assert_int_equal(groups.count, 2);
        if (by == BY_PHASE)
            assert_int_equal(row("parsing", 0)->allocs, 6);
        else
            assert_int_equal(groups.rows[0].sum.counters.allocs + groups.rows[1].sum.counters.allocs, 6);
        groups_free(&groups);
        joined_free(&joined);
    }
    groups = (struct groups){.by = BY_SITE};
}

static void inherited_blocks(void **state) {
    (void)state;
    tables.tallies[2] =
        (struct tally){.allocated = 1, .allocated_bytes = 10, .released = 3, .released_bytes = 30};
    tables.slots[2] = (struct profile_slot){.inherited_blocks = 5, .inherited_bytes = 50};
    add_parts();
    assert_true((int64_t)row(NULL, 0)->live_blocks == -2 && (int64_t)row(NULL, 0)->live_bytes == -20);
    assert_int_equal(row(NULL, 0)->inherited_blocks, 0);
    assert_int_equal(checked(), 0);
    profile_read_free(&source.profile);
}

static void counts_before_a_reset(void **state) {
    (void)state;
    struct profile_base *bases = image_add(&image, PROFILE_BASES, 0, 0, 1);
    tables.tallies[2] =
        (struct tally){.allocated = 10, .allocated_bytes = 100, .released = 4, .released_bytes = 40};
    tables.extras[2] = (struct extra){.reallocs = 5, .moved = 2};
    bases[2].flow = (struct flow){.allocated = 7,
                                  .allocated_bytes = 70,
                                  .released = 3,
                                  .released_bytes = 30,
                                  .reallocs = 4,
                                  .moved = 2};
    tables.slots[2] = (struct profile_slot){.inherited_blocks = 4, .inherited_bytes = 40};
    add_parts();
    assert_true(row(NULL, 0)->allocs == 5 && row(NULL, 0)->live_blocks == 6);
    assert_true(groups.before_reset.allocs == 3 && groups.before_reset.frees == 1);
    assert_int_equal(source.report->totals.counters.allocs, 2);
    assert_int_equal(checked(), 0);
    assert_has(written(FORMAT_TEXT), "\nreset: 70 B in 3 allocations and 4 reallocations before");
    assert_has(written(FORMAT_TEXT), "100.0%");
    assert_has(written(FORMAT_JSON), "\"before_reset\":{\"allocs\":3,");
    profile_read_free(&source.profile);
}

// A truncated or damaged file: counters of thread blocks without a record.
static void blocks_that_are_not_in_the_file(void **state) {
    (void)state;
    struct tally *far = image_add(&image, PROFILE_TALLIES, UINT32_MAX, 0, 1);
    struct tally *near = image_add(&image, PROFILE_TALLIES, 512, 0, 1);
    far[2].allocated = 1;
    near[2].allocated = 2;
    tables.tallies[2].allocated = 4;
    other[2].allocated = 8;
    blocks[1].phase = 1 << 20;
    add_parts();
    assert_int_equal(groups.count, 2);
    assert_int_equal(row("[unnamed]", 0)->allocs, 11);
    assert_int_equal(row(NULL, 0)->allocs, 4);
    assert_int_equal(source.report->reason_count, 1);
    assert_int_equal(checked(), 0);
    profile_read_free(&source.profile);
}

static void profiles_without_phases(void **state) {
    (void)state;
    image_header(&image)->flags = PROFILE_IS_MERGED;
    tables.tallies[2].allocated = 1;
    read_image();
    assert_false(groups_need_parts(&source, BY_PHASE, &why));
    assert_string_equal(why.text, "has no phases: it is a recording or was merged from one");
    profile_read_free(&source.profile);
}

static void a_broken_law(void **state) {
    (void)state;
    tables.tallies[2] = (struct tally){.allocated = 2, .allocated_bytes = 20};
    add_parts();
    groups.rows[0].sum.counters.alloc_bytes++;
    assert_int_equal(checked(), 1);
    profile_read_free(&source.profile);
}

enum { SITES = 6 };

static struct report_site rows[SITES];

// Each site allocates twice as many one-byte blocks as the previous one, and frees none.
static void make_sites(struct report *report) {
    static struct report_site *sites[SITES];
    static const struct site_view views[SITES] = {
        {.id = 1, .module = "/p", .sited = true, .at = {"f", "a.c", 7, 1}, .callee = "malloc", .type = "T"},
        {.id = 2, .module = "/p", .sited = true, .at = {"f", "a.c", 7, 9}, .callee = "malloc"},
        {.id = 3, .module = "/l", .sited = true, .at = {"f", "b.c", 7, 1}, .callee = "malloc", .type = "T"},
        {.id = 4, .module = "/l", .sited = true, .at = {"g", "a.c", 8, 1}, .callee = "malloc"},
        {.id = 5, .module = "/p"},
        {.id = 6, .module = "f"},
    };
    for (size_t i = 0; i < SITES; i++) {
        uint64_t count = UINT64_C(1) << i;
        rows[i] = (struct report_site){.view = views[i]};
        rows[i].counters = (struct counters){.allocs = count,
                                             .alloc_bytes = count,
                                             .live_blocks = count,
                                             .live_bytes = count,
                                             .peak_bytes = count,
                                             .max_live_blocks = count,
                                             .leaked_blocks = i,
                                             .leaked_bytes = SITES - i};
        sites[i] = &rows[i];
    }
    *report = (struct report){.program = "/p", .sites = sites, .site_count = SITES, .reach = true};
}

static struct report report;

static void add_sites(enum group_by by) {
    groups_free(&groups);
    groups = (struct groups){.by = by};
    make_sites(&report);
    report_prepare(&report, &everything);
    groups_add_sites(&groups, &report);
}

static void groups_of_sites(void **state) {
    (void)state;
    add_sites(BY_LINE);
    assert_int_equal(groups.count, 5);
    assert_true(row("a.c", 7)->allocs == 3 && row("b.c", 7)->allocs == 4 && row("a.c", 8)->allocs == 8);
    assert_true(row("/p", 0)->allocs == 16);
    add_sites(BY_FILE);
    assert_int_equal(groups.count, 4);
    assert_true(row("a.c", 0)->allocs == 11 && row("b.c", 0)->allocs == 4);
    add_sites(BY_TYPE);
    assert_true(row("T", 0)->allocs == 5 && row(NULL, 0)->allocs == 10);
    add_sites(BY_MODULE);
    assert_int_equal(groups.count, 3);
    assert_true(row("/p", 0)->allocs == 19 && row("/l", 0)->allocs == 12 && row("f", 0)->allocs == 32);
    assert_true(row("/p", 0)->live_bytes == 19 && row("/p", 0)->peak_bytes == 19);
}

// A function and a module with one name are two rows.
static void functions_and_modules_are_distinct(void **state) {
    (void)state;
    add_sites(BY_FUNCTION);
    assert_int_equal(groups.count, 4);
    groups_prepare(&groups, &everything);
    assert_true(groups.rows[0].key.is_module && groups.rows[0].sum.counters.allocs == 32);
    assert_true(!groups.rows[3].key.is_module && groups.rows[3].sum.counters.allocs == 7);
    assert_int_equal(groups.rows[3].sum.counters.leaked_blocks, 0 + 1 + 2);
    assert_int_equal(groups_check("p", &groups, &report), 0);
}

static void the_order_and_what_is_shown(void **state) {
    (void)state;
    add_sites(BY_TYPE);
    groups_prepare(&groups, &(struct report_limits){.top = 2});
    assert_int_equal(groups.shown, 2);
    assert_string_equal(groups.rows[0].key.name, "f");
    assert_string_equal(groups.rows[1].key.name, "/p");
    assert_int_equal(groups.hidden.sum.counters.allocs, 15);
    assert_int_equal(groups_check("p", &groups, &report), 0);
    add_sites(BY_TYPE);
    groups_prepare(&groups, &(struct report_limits){.min_bytes = 6, .min_allocs = 17});
    assert_int_equal(groups.shown, 1);
    add_sites(BY_TYPE);
    groups_prepare(&groups, &(struct report_limits){.leaks = true});
    assert_string_equal(groups.rows[0].key.name, "T");
    assert_null(groups.rows[1].key.name);
}

// Negative values come last.
static void phases_by_live(void **state) {
    (void)state;
    struct tally *third = image_add(&image, PROFILE_TALLIES, 2, 0, 1);
    blocks[1].phase = image_name(&image, "more");
    blocks[2].phase = image_name(&image, "less");
    tables.tallies[2] = (struct tally){.allocated = 1, .allocated_bytes = 10};
    other[2] = (struct tally){.allocated = 1, .allocated_bytes = 20};
    third[2] = (struct tally){.allocated = 4, .allocated_bytes = 40, .released = 5, .released_bytes = 45};
    add_parts();
    groups_prepare(&groups, &(struct report_limits){.sort = SORT_LIVE});
    assert_string_equal(groups.rows[0].key.name, "more");
    assert_null(groups.rows[1].key.name);
    assert_string_equal(groups.rows[2].key.name, "less");
    profile_read_free(&source.profile);
}

static void the_forms_of_phases(void **state) {
    (void)state;
    blocks[1].phase = image_name(&image, "a \"b\"|");
    tables.tallies[2] = (struct tally){.allocated = 3, .allocated_bytes = 3000};
    other[2] = (struct tally){.released = 1, .released_bytes = 1536};
    blocks[0].peak = (struct profile_part_peak){.bytes = 2000, .time = 5000000, .within = 9};
    add_parts();
    groups_prepare(&groups, &everything);
    assert_has(written(FORMAT_JSON), "\"peak_bytes\":2000,\"peak_within\":9,\"peak_time_ms\":5}");
    assert_has(written(FORMAT_JSON), "\"by\":\"phase\"");
    assert_has(written(FORMAT_JSON), "{\"phase\":null,\"allocs\":3,\"alloc_bytes\":3000,");
    assert_has(written(FORMAT_JSON), "{\"phase\":\"a \\\"b\\\"|\",\"allocs\":0,");
    assert_has(written(FORMAT_JSON),
               "\"live_blocks\":-1,\"live_bytes\":-1536,\"failed\":0,\"peak_bytes\":0,");
    assert_has(written(FORMAT_CSV), "\r\n,3,3000,0,0,0,0,0,0,0,3,3000,0,2000,9,5\r\n\"a \"\"b\"\"|\",0,");
    assert_has(written(FORMAT_TEXT), "+2.9 KiB  2.0 KiB   5.0 ms  (no phase)\n");
    assert_has(written(FORMAT_TEXT), "-1.5 KiB      0 B        -  a \"b\"|\n");
    assert_has(written(FORMAT_MARKDOWN), "| -1.5 KiB | 0 B | - | `a \"b\"\\|` |\n");
    profile_read_free(&source.profile);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(names),
        TEST(phases_of_several_threads),
        TEST(threads_of_several_phases),
        TEST(several_processes),
        TEST(inherited_blocks),
        TEST(counts_before_a_reset),
        TEST(blocks_that_are_not_in_the_file),
        TEST(profiles_without_phases),
        TEST(a_broken_law),
        TEST(groups_of_sites),
        TEST(functions_and_modules_are_distinct),
        TEST(the_order_and_what_is_shown),
        TEST(phases_by_live),
        TEST(the_forms_of_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
