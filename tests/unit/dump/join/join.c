/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Several reports joined into one, and the joined report written as a profile.
#include "dump/join/join.h"
#include "dump/profile/image.h"
#include "dump/profile/read.h"
#include "write/formats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { SITES = 4 };

// A report of one process with its storage.
struct one {
    struct report report;
    struct report_site rows[SITES], *sites[SITES];
    uint64_t sizes[SITES][SIZE_CLASSES];
    struct place chain[2];
    struct report_pair pairs[2];
};

// Row 0 is a module, row 1 a site in it, row 2 a site of another module, row 3 site 1 inlined elsewhere.
static struct one *one(uint64_t n) {
    static struct one ones[8];
    static size_t next;
    struct one *of = &ones[next++ % 8];
    const struct place at = {"f", "a.c", 7, 9};
    *of = (struct one){.chain = {{"g", "g.h", 1, 2}, {"main", NULL, 3, 0}}};
    of->rows[0].view = (struct site_view){.id = 1, .module = "/bin/p"};
    of->rows[1].view = (struct site_view){.id = 2,
                                          .module = "/bin/p",
                                          .sited = true,
                                          .at = at,
                                          .callee = "malloc",
                                          .type = "T",
                                          .inlined = of->chain,
                                          .inlined_count = 2};
    of->rows[2].view =
        (struct site_view){.id = 2, .module = "/lib/l.so", .sited = true, .at = at, .callee = "malloc"};
    of->rows[3].view = (struct site_view){.id = 3,
                                          .module = "/bin/p",
                                          .sited = true,
                                          .at = at,
                                          .callee = "malloc",
                                          .inlined = of->chain + 1,
                                          .inlined_count = 1};
    for (size_t i = 0; i < SITES; i++) {
        of->sites[i] = &of->rows[i];
        of->rows[i].counters = (struct counters){.allocs = n * (i + 1),
                                                 .alloc_bytes = 10 * n,
                                                 .frees = n * i,
                                                 .freed_bytes = 9 * n,
                                                 .live_blocks = n,
                                                 .live_bytes = n,
                                                 .peak_bytes = 2 * n,
                                                 .peak_blocks = n,
                                                 .max_live_blocks = n + i};
    }
    of->report = (struct report){
        .program = "/bin/p", .pid = n, .finished = true, .sites = of->sites, .site_count = SITES};
    return of;
}

static struct joined joined;

static void begin(void) {
    joined = (struct joined){.reports = 0};
}

static void add(struct one *part) {
    joined_add(&joined, &part->report);
}

static const struct report *end(void) {
    joined_report(&joined);
    return &joined.report;
}

static const struct report_site *row(const struct report *report, const struct one *like, size_t index) {
    for (size_t i = 0; i < report->site_count; i++)
        if (report->sites[i]->view.id == like->rows[index].view.id &&
            strcmp(report->sites[i]->view.module, like->rows[index].view.module) == 0)
            return report->sites[i];
    fail_msg("no row %zu", index);
    return NULL;
}

static void counters_add_up(void **state) {
    (void)state;
    begin();
    add(one(5));
    add(one(7));
    const struct report *report = end();
    assert_int_equal(report->site_count, SITES);
    for (size_t i = 0; i < SITES; i++) {
        const struct counters *of = &row(report, one(0), i)->counters;
        assert_true(of->allocs == 12 * (i + 1) && of->alloc_bytes == 120 && of->frees == 12 * i &&
                    of->freed_bytes == 108 && of->live_blocks == 12 && of->live_bytes == 12);
    }
    assert_true(report->several.count == 2 && report->pid == 0 && report->finished);
    assert_string_equal(report->program, "/bin/p");
    assert_int_equal(report->several.program_count, 0);
    joined_free(&joined);
}

// A joined report does not refer to its sources.
static void names_are_copied(void **state) {
    (void)state;
    struct one *part = one(1);
    begin();
    add(part);
    char *letters = strdup("gmain");
    part->chain[0].function = part->rows[1].view.at.function = letters;
    memset(part->chain, 0, sizeof part->chain);
    free(letters);
    const struct site_view *view = &row(end(), one(0), 1)->view;
    assert_string_equal(view->at.function, "f");
    assert_string_equal(view->type, "T");
    assert_int_equal(view->inlined_count, 2);
    assert_string_equal(view->inlined[0].file, "g.h");
    assert_string_equal(view->inlined[1].function, "main");
    assert_null(view->inlined[1].file);
    joined_free(&joined);
}

static void the_peak_is_the_largest(void **state) {
    (void)state;
    struct one *first = one(5), *second = one(9), *third = one(9);
    second->report.peak_within = 3;
    second->rows[3].counters.peak_bytes++, third->rows[2].counters.peak_bytes++;
    second->report.site_count = third->report.site_count = SITES;
    second->sites[0] = second->sites[3]; // this process did not load the module
    second->report.site_count = 3;
    second->rows[1].counters.peak_bytes += 18;
    begin();
    add(first);
    add(second);
    add(third);
    const struct report *report = end();
    // 4 * 10; 3 * 18 + 1 + 18; 4 * 18 + 1, the same
    assert_int_equal(report->peak_within, 40 + 3 + 73);
    assert_int_equal(row(report, first, 0)->counters.peak_bytes, 0);
    assert_int_equal(row(report, first, 0)->counters.peak_blocks, 0);
    assert_int_equal(row(report, first, 1)->counters.peak_bytes, 36);
    assert_int_equal(row(report, first, 2)->counters.peak_bytes, 18);
    assert_int_equal(row(report, first, 3)->counters.peak_bytes, 19);
    assert_int_equal(row(report, first, 3)->counters.peak_blocks, 9);
    joined_free(&joined);
}

static void maxima_are_bounded(void **state) {
    (void)state;
    struct one *first = one(5), *second = one(9), *third = one(2);
    third->rows[1].counters.max_live_blocks_within = 4;
    begin();
    add(first);
    add(second);
    add(third);
    const struct counters *of = &row(end(), one(0), 1)->counters;
    assert_int_equal(of->max_live_blocks, 10);
    assert_int_equal(of->max_live_blocks_within, 6 + 3 + 4);
    joined_free(&joined);
}

// The two rows of one site in a report have shares of the same peak.
static void a_site_twice_in_a_report(void **state) {
    (void)state;
    struct one *part = one(4), *copy = one(3);
    part->rows[2].view = part->rows[1].view;
    begin();
    add(copy);
    add(part);
    const struct report *report = end();
    assert_int_equal(row(report, copy, 1)->counters.peak_bytes, 16);
    assert_int_equal(row(report, copy, 1)->counters.max_live_blocks, 6);
    assert_int_equal(row(report, copy, 1)->counters.max_live_blocks_within, 4 + 5);
    joined_free(&joined);
}

static struct one *with_pairs(uint64_t n) {
    struct one *of = one(n);
    of->pairs[0] = (struct report_pair){
        .kind = PAIR_FREE, .owner = &of->rows[1], .by = &of->rows[3], .count = n, .bytes = n};
    of->pairs[1] = (struct report_pair){.kind = FAULT_FOREIGN, .by = &of->rows[2], .count = 1, .bytes = n};
    of->report.pairs = of->pairs;
    of->report.pair_count = 2;
    of->report.has_pairs = true;
    return of;
}

static void pairs_add_up(void **state) {
    (void)state;
    begin();
    add(with_pairs(3));
    add(with_pairs(4));
    const struct report *report = end();
    assert_true(report->has_pairs && report->pair_count == 2);
    assert_ptr_equal(report->pairs[0].owner, row(report, one(0), 1));
    assert_ptr_equal(report->pairs[0].by, row(report, one(0), 3));
    assert_true(report->pairs[0].count == 7 && report->pairs[0].bytes == 7);
    assert_true(report->pairs[1].kind == FAULT_FOREIGN && !report->pairs[1].owner &&
                report->pairs[1].count == 2);
    joined_free(&joined);
}

// Pairs from only some processes would not cover all frees, so they are dropped; faults are kept.
static void pairs_of_some_processes_are_dropped(void **state) {
    (void)state;
    for (int order = 0; order < 2; order++) {
        begin();
        add(order ? one(1) : with_pairs(3));
        add(order ? with_pairs(3) : one(1));
        const struct report *report = end();
        assert_false(report->has_pairs);
        assert_int_equal(report->pair_count, 1);
        assert_int_equal(report->pairs[0].kind, FAULT_FOREIGN);
        joined_free(&joined);
    }
}

static struct one *with_sizes(uint64_t n) {
    struct one *of = one(n);
    for (size_t i = 0; i < SITES; i++) {
        of->sizes[i][4] = n;
        of->rows[i].sizes = of->sizes[i];
    }
    return of;
}

static void sizes_add_up(void **state) {
    (void)state;
    struct one *idle = one(0);
    begin();
    add(with_sizes(3));
    add(idle);
    add(with_sizes(4));
    assert_int_equal(row(end(), idle, 1)->sizes[4], 7);
    joined_free(&joined);
    begin();
    add(with_sizes(3));
    add(one(4));
    assert_null(row(end(), idle, 1)->sizes);
    joined_free(&joined);
}

static struct one *with_reach(uint64_t lost, const char *unknown) {
    struct one *of = one(9);
    of->report.reach = lost;
    of->report.leaked_unknown = unknown;
    of->rows[1].counters.leaked_blocks = of->rows[1].counters.leaked_bytes = lost;
    of->rows[1].counters.possibly_leaked_blocks = of->rows[1].counters.possibly_leaked_bytes = 2 * lost;
    return of;
}

static void leaked_blocks(void **state) {
    (void)state;
    static const struct {
        uint64_t lost[3];
        const char *unknown[3], *answer;
    } cases[] = {
        {{1, 2, 3}, {NULL}, NULL},
        {{0, 0, 0}, {NULL}, NULL},
        {{1, 0, 2}, {NULL}, "not all processes were asked"},
        {{0, 0, 0}, {NULL, "z", "y"}, "y"},
        {{1, 0, 0}, {NULL, "y", "z"}, "y"},
        {{0, 1, 1}, {"not all processes were asked"}, "not all processes were asked"},
        {{0, 0, 0}, {"not all processes were asked", "x"}, "x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        for (int k = 0; k < 3; k++)
            add(with_reach(cases[i].lost[k], cases[i].unknown[k]));
        const struct report *report = end();
        assert_int_equal(report->reach, i == 0);
        assert_int_equal(row(report, one(0), 1)->counters.leaked_blocks,
                         cases[i].lost[0] + cases[i].lost[1] + cases[i].lost[2]);
        assert_int_equal(row(report, one(0), 1)->counters.possibly_leaked_bytes,
                         2 * row(report, one(0), 1)->counters.leaked_bytes);
        if (cases[i].answer)
            assert_string_equal(report->leaked_unknown, cases[i].answer);
        else
            assert_null(report->leaked_unknown);
        joined_free(&joined);
    }
}

static void reasons_and_programs(void **state) {
    (void)state;
    static const char *const both[] = {"a", "b"}, *const programs[] = {"/bin/p", "/bin/q", "/bin/r"};
    static const uint64_t hold[] = {2, 5};
    struct one *first = one(1), *second = one(1), *third = one(1);
    first->report.reasons = both;
    first->report.reason_count = 1;
    second->report.reasons = both;
    second->report.reason_count = 2;
    second->report.finished = false;
    second->report.several = (struct report_processes){
        .count = 5, .unfinished = 3, .reasons_hold = hold, .programs = programs, .program_count = 3};
    begin();
    add(first);
    add(second);
    add(third);
    const struct report *report = end();
    assert_true(report->several.count == 7 && report->several.unfinished == 3 && !report->finished);
    assert_string_equal(report->program, "3 programs");
    assert_int_equal(report->several.program_count, 3);
    assert_int_equal(report->reason_count, 2);
    assert_int_equal(report_reason_part(report, 0), 3);
    assert_int_equal(report_reason_part(report, 1), 5);
    joined_free(&joined);
}

static void too_many_reasons(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < JOINED_REASONS_MAX + 10; i++) {
        char text[32];
        const char *reason = text;
        struct one *part = one(1);
        snprintf(text, sizeof text, "reason %d", i);
        part->report.reasons = &reason;
        part->report.reason_count = 1;
        add(part);
    }
    const struct report *report = end();
    assert_int_equal(report->reason_count, JOINED_REASONS_MAX);
    assert_string_equal(report->reasons[JOINED_REASONS_MAX - 1], "more reasons than can be listed");
    assert_int_equal(report_reason_part(report, JOINED_REASONS_MAX - 1), 11);
    joined_free(&joined);
}

static void a_single_report(void **state) {
    (void)state;
    struct one *part = one(6);
    part->report.finished = false;
    begin();
    add(part);
    const struct report *report = end();
    assert_true(report->several.count == 0 && report->pid == 6 && !report->finished);
    assert_int_equal(report->peak_within, 0);
    joined_free(&joined);
}

// Blocks and bytes that a child inherited and has at its end: how many count as freed, and how many as its
// own.
static void inherited_blocks_of_children(void **state) {
    (void)state;
    static const struct {
        uint64_t inherited[2], live[2], lost[2], given_back[2], own[2], leaked_own[2];
    } cases[] = {
        {{9, 90}, {9, 90}, {2, 20}, {0, 0}, {0, 0}, {0, 0}},     // changed nothing
        {{9, 90}, {4, 40}, {1, 10}, {5, 50}, {0, 0}, {0, 0}},    // freed some
        {{9, 90}, {12, 130}, {5, 50}, {0, 0}, {3, 40}, {3, 40}}, // allocated some
        {{1, 10}, {1, 30}, {0, 0}, {1, 10}, {1, 30}, {0, 0}},    // replaced one
        {{2, 30}, {2, 10}, {1, 5}, {1, 20}, {1, 0}, {1, 0}},     // replaced one by a smaller one
        {{0, 0}, {2, 20}, {2, 20}, {0, 0}, {2, 20}, {2, 20}},    // had inherited nothing
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one *parent = one(0), *child = one(0);
        struct report_stack stack = {.site = &child->rows[1]};
        struct counters *of = &child->rows[1].counters;
        *of = (struct counters){.inherited_blocks = cases[i].inherited[0] + 3,
                                .inherited_bytes = cases[i].inherited[1] + 3,
                                .live_blocks = cases[i].live[0] + 4,
                                .live_bytes = cases[i].live[1] + 4};
        // A stack of the row grew by a block of one byte, independent of the other stacks.
        stack.counters =
            (struct counters){.inherited_blocks = 3, .inherited_bytes = 3, .live_blocks = 4, .live_bytes = 4};
        child->rows[1].counters.leaked_blocks = cases[i].lost[0];
        child->rows[1].counters.leaked_bytes = cases[i].lost[1];
        child->rows[1].counters.possibly_leaked_blocks = cases[i].live[0] - cases[i].lost[0];
        child->rows[1].counters.possibly_leaked_bytes = cases[i].live[1] - cases[i].lost[1];
        child->report.stacks = &stack;
        child->report.stack_count = 1;
        child->report.forked = parent->report.reach = child->report.reach = true;
        begin();
        add(parent);
        add(child);
        const struct report *report = end();
        const struct report_site *of_all = row(report, child, 1);
        assert_true(of_all->counters.inherited_blocks == cases[i].given_back[0] &&
                    of_all->counters.inherited_bytes == cases[i].given_back[1]);
        assert_true(of_all->counters.live_blocks == cases[i].own[0] + 1 &&
                    of_all->counters.live_bytes == cases[i].own[1] + 1);
        assert_true(of_all->counters.leaked_blocks >= cases[i].leaked_own[0] &&
                    of_all->counters.leaked_blocks <= cases[i].own[0] + 1);
        assert_true(of_all->counters.leaked_bytes >= cases[i].leaked_own[1] &&
                    of_all->counters.leaked_bytes <= cases[i].own[1] + 1);
        assert_true(of_all->counters.leaked_blocks + of_all->counters.possibly_leaked_blocks <=
                        of_all->counters.live_blocks &&
                    of_all->counters.leaked_bytes + of_all->counters.possibly_leaked_bytes <=
                        of_all->counters.live_bytes);
        assert_true(report->stacks[0].counters.live_blocks == 1 &&
                    report->stacks[0].counters.live_bytes == 1);
        assert_int_equal(report->several.forked, 1);
        assert_int_equal(report->several.untouched_blocks,
                         cases[i].inherited[0] - cases[i].given_back[0] + 3);
        joined_free(&joined);
        // Reported alone, the child has the blocks that it inherited.
        child = one(0);
        child->rows[1].counters = (struct counters){.inherited_blocks = 7, .live_blocks = 7};
        child->report.forked = true;
        begin();
        add(child);
        report = end();
        assert_true(report->forked && row(report, child, 1)->counters.inherited_blocks == 7);
        joined_free(&joined);
    }
}

static void sums_that_are_too_large(void **state) {
    (void)state;
    struct one *first = one(1), *second = one(1);
    first->rows[1].counters.allocs = UINT64_MAX;
    begin();
    add(first);
    add(second);
    const struct report *report = end();
    assert_true(row(report, first, 1)->counters.allocs == UINT64_MAX);
    assert_string_equal(report->reasons[0], "some sums exceed 64 bits");
    joined_free(&joined);
}

static void many_sites(void **state) {
    (void)state;
    enum { MANY = 20000 };
    struct report_site *rows = calloc(MANY, sizeof *rows), **sites = calloc(MANY, sizeof *sites);
    for (int part = 0; part < 3; part++) {
        for (uint64_t i = 0; i < MANY; i++) {
            rows[i] = (struct report_site){.view = {.id = i / 4, .module = "m", .sited = true}};
            rows[i].view.at.line = (uint32_t)(i % 4);
            rows[i].counters.allocs = rows[i].counters.live_blocks = rows[i].counters.max_live_blocks = i;
            sites[i] = &rows[i];
        }
        struct report report = {.program = "p", .sites = sites, .site_count = MANY};
        if (!part)
            begin();
        joined_add(&joined, &report);
    }
    const struct report *report = end();
    assert_int_equal(report->site_count, MANY);
    for (uint64_t i = 0; i < MANY; i++)
        assert_int_equal(report->sites[i]->counters.allocs,
                         3 * (4 * report->sites[i]->view.id + report->sites[i]->view.at.line));
    joined_free(&joined);
    free(rows);
    free(sites);
}

// A written profile and the report that is read from it.
struct written {
    struct profile_file file;
    struct profile_image image;
};

static void write_and_read(struct written *written, const struct report *report) {
    struct reason why;
    assert_true(profile_merged(&written->image, report));
    assert_int_equal(written->image.size % PROFILE_PAGE, 0);
    assert_true(profile_read(&written->file, written->image.bytes, written->image.size, &why));
}

static void written_free(struct written *written) {
    profile_read_free(&written->file);
    profile_image_free(&written->image);
}

// Returns the complete report as JSON; the caller frees it.
static char *json_of(struct report *report) {
    enum { SIZE = 1 << 23 };
    static char buffer[SIZE];
    struct out out;
    struct report_limits limits = {.pairs = true};
    report_prepare(report, &limits);
    out_open(&out, -1, buffer, sizeof buffer);
    report_json(&out, report);
    assert_int_equal(out.error, 0);
    return strndup(buffer, out.used);
}

static void assert_written(struct report *report) {
    struct written written;
    write_and_read(&written, report);
    char *want = json_of(report), *have = json_of(&written.file.report);
    assert_string_equal(have, want);
    free(want);
    free(have);
    written_free(&written);
}

static void written_data_is_read_back(void **state) {
    (void)state;
    static const char *const reasons[] = {"why not"};
    struct one *first = with_pairs(3), *second = with_pairs(400);
    for (size_t i = 0; i < SITES; i++) {
        struct counters *of = &first->rows[i].counters;
        *of = (struct counters){1001, 1002, 1003, 1004, 1005, 1006 - i, 1007, 8, 9, 1014 + i, 1005 + 8, 12,
                                13,   14,   24,   24,   17,   18,       0,    0, 0, 0,        0};
        of->live_blocks = of->allocs + of->reallocs + of->inherited_blocks - of->frees - of->moved;
        of->live_bytes =
            of->alloc_bytes + of->realloc_bytes + of->inherited_bytes - of->freed_bytes - of->moved_bytes;
        first->rows[i].sizes = first->sizes[i];
        second->rows[i].sizes = second->sizes[i];
        first->sizes[i][i] = 5;
    }
    first->rows[1].counters.leaked_blocks = first->rows[1].counters.possibly_leaked_blocks = 1;
    first->report.reach = second->report.reach = true;
    first->report.reasons = reasons;
    first->report.reason_count = 1;
    second->report.program = "/bin/q";
    second->report.finished = false;
    begin();
    add(first);
    add(second);
    end();
    assert_written(&joined.report);
    joined_free(&joined);
}

// A site and a module about which nothing is known, a site represented by another one, and a single process.
static void unknown_values_are_written(void **state) {
    (void)state;
    struct one *part = one(3);
    part->rows[0].view.module = NULL;
    part->rows[2].view = (struct site_view){.id = 5, .sited = true};
    part->report.leaked_unknown = "nobody knows";
    part->report.program = "?";
    begin();
    add(part);
    end();
    assert_written(&joined.report);
    joined_free(&joined);
}

// Enough data to need additional chunks of every kind, and of the directory.
static void much_is_written(void **state) {
    (void)state;
    enum { MANY = 30000 };
    struct report_site *rows = calloc(MANY, sizeof *rows), **sites = calloc(MANY, sizeof *sites);
    char(*names)[40] = calloc(MANY, sizeof *names);
    static char long_name[100000];
    memset(long_name, 'x', sizeof long_name - 1);
    for (uint64_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof *names, "a function with the number %d", (int)i);
        rows[i] = (struct report_site){
            .view = {.id = i, .module = i % 2 ? "m" : names[i], .sited = i % 3, .at = {.function = names[i]}},
            .counters = {.allocs = i, .frees = i, .peak_bytes = 1}};
        if (!rows[i].view.sited)
            rows[i].view.at.function = NULL;
        sites[i] = &rows[i];
    }
    rows[7].view.at.file = long_name;
    struct report report = {.program = "p", .pid = 1, .finished = true, .sites = sites, .site_count = MANY};
    struct written written;
    write_and_read(&written, &report);
    assert_int_equal(written.file.report.reason_count, 0);
    assert_int_equal(written.file.report.site_count, MANY);
    for (size_t i = 0; i < MANY; i++) {
        const struct site_view *have = &written.file.rows[i].view, *want = &rows[i].view;
        assert_true(have->id == want->id && written.file.rows[i].counters.allocs == i);
        assert_string_equal(have->module, want->module);
        if (want->sited)
            assert_string_equal(have->at.function, want->at.function);
    }
    assert_string_equal(written.file.rows[7].view.at.file, long_name);
    written_free(&written);
    free(rows);
    free(sites);
    free(names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_add_up),
        cmocka_unit_test(names_are_copied),
        cmocka_unit_test(the_peak_is_the_largest),
        cmocka_unit_test(maxima_are_bounded),
        cmocka_unit_test(a_site_twice_in_a_report),
        cmocka_unit_test(pairs_add_up),
        cmocka_unit_test(pairs_of_some_processes_are_dropped),
        cmocka_unit_test(sizes_add_up),
        cmocka_unit_test(leaked_blocks),
        cmocka_unit_test(reasons_and_programs),
        cmocka_unit_test(too_many_reasons),
        cmocka_unit_test(a_single_report),
        cmocka_unit_test(inherited_blocks_of_children),
        cmocka_unit_test(sums_that_are_too_large),
        cmocka_unit_test(many_sites),
        cmocka_unit_test(written_data_is_read_back),
        cmocka_unit_test(unknown_values_are_written),
        cmocka_unit_test(much_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
