/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reads a profile and writes its report in all formats. Also joins it with itself, writes and reads that
 * again, and compares it with the same report of edited code.
 *
 * Profiles are pages that are mostly empty. The input has for each page a length (two bytes, little endian)
 * and that many bytes, so altered bytes are bytes that are read. pack_profile.py converts a profile into such
 * an input. */
#include "exports.h"

#include "dump/compare/diff.h"
#include "dump/html/html.h"
#include "dump/join/join.h"
#include "dump/load/loaded.h"
#include "dump/profile/image.h"
#include "dump/profile/read.h"
#include "dump/view/tree.h"
#include "dump/view/view.h"
#include "write/formats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void ignore(void *context, const struct report_breach *breach) {
    (void)context;
    if (!breach->law)
        abort();
}

static void show(struct report *report, enum report_format format) {
    struct report_limits limits = {.pairs = true, .sizes = true};
    struct out out = fuzz_out();
    report_prepare(report, &limits);
    report_check(report, ignore, NULL);
    report_write(&out, report, format);
}

static void show_tree(struct report *report, bool is_root_first) {
    struct tree tree = {.is_root_first = is_root_first, .by = MEASURE_ALLOCS, .prune = 1};
    struct out out = fuzz_out();
    report_prepare(report, &(struct report_limits){.top = 0});
    tree_make(&tree, report);
    tree_text(&out, &tree, report);
    tree_json(&out, &tree, report);
    tree_free(&tree);
}

static void show_groups(struct profile_file *file, enum group_by by, enum report_format format) {
    struct report_limits limits = {.top = 10};
    struct groups groups = {.by = by};
    struct out out = fuzz_out();
    report_prepare(&file->report, &(struct report_limits){.top = 0});
    (group_by_parts(by) ? groups_add_parts : groups_add_sites)(&groups, &file->report);
    groups_prepare(&groups, &limits);
    groups_write(&out, &groups, &file->report, format);
    groups_free(&groups);
}

static void show_page(struct report *report) {
    struct symbolizer nothing = {.is_off = true};
    struct out out = fuzz_out();
    report_prepare(report, &(struct report_limits){.top = 0});
    html_write(&out, &(struct html){.report = report, .symbolizer = &nothing});
}

/* Changes the ids of some sites, and the lines and counts of others. */
static void edit(struct report *report) {
    for (size_t i = 0; i < report->site_count; i++) {
        struct report_site *site = report->sites[i];
        if (site->view.at.column % 2)
            site->view.id ^= 1;
        site->view.at.line += site->view.at.column % 4;
        site->counters.allocs ^= site->view.at.line % 3;
    }
    bool is_named = report->stack_count || report->pair_count || report->phase_count;
    if (report->site_count && !is_named && report->sites[0]->view.at.column % 5 == 0)
        report->site_count--;
}

static void write_difference(const struct loaded *old, const struct loaded *new, enum measure sort) {
    struct out out = fuzz_out();
    struct diff diff;
    struct symbolizer nothing = {.is_off = true};
    struct diff_limits limits = {.all = true};
    diff_make(&diff, old->report, new->report, sort);
    size_t rows = 0;
    for (int state = 0; state < DIFF_STATES; state++)
        rows += diff.states[state];
    /* Each site is in one row. */
    if (rows != diff.count || 2 * rows - diff.states[DIFF_NEW] - diff.states[DIFF_GONE] !=
                                  old->report->counted + new->report->counted)
        abort();
    diff_text(&out, &diff, old, new, &limits);
    diff_json(&out, &diff, old, new, &limits);
    if (sort == MEASURE_BYTES)
        html_write(&out, &(struct html){.report = new->report, .diff = &diff, .symbolizer = &nothing});
    diff_free(&diff);
}

static void compare(struct report *report, const void *bytes, size_t size, enum measure sort) {
    struct profile_file file;
    struct reason why;
    struct loaded old = {.path = "old", .report = report}, new = {.path = "new", .report = &file.report};
    if (!profile_read(&file, bytes, size, &why))
        abort();
    edit(&file.report);
    report_prepare(report, &(struct report_limits){.top = 0});
    report_prepare(&file.report, &(struct report_limits){.top = 0});
    write_difference(&old, &new, sort);
    profile_read_free(&file);
}

/* A profile written here must be read without reasons that it did not have before. */
static void read_again(const void *bytes, size_t size, const struct report *written) {
    struct profile_file file;
    struct reason why;
    if (!profile_read(&file, bytes, size, &why) || file.names.wrong ||
        file.report.reason_count > written->reason_count + 1)
        abort();
    show(&file.report, FORMAT_JSON);
    profile_read_free(&file);
}

static void write_again(const struct report *report) {
    struct profile_image image;
    if (!profile_merged(&image, report))
        abort();
    read_again(image.bytes, image.size, report);
    profile_image_free(&image);
}

static void join_twice(const void *bytes, size_t size) {
    struct joined joined = {.reports = 0};
    for (int i = 0; i < 2; i++) {
        struct profile_file file;
        struct reason why;
        if (!profile_read(&file, bytes, size, &why))
            abort();
        joined_add(&joined, &file.report);
        profile_read_free(&file);
    }
    joined_report(&joined);
    write_again(&joined.report);
    show(&joined.report, FORMAT_TEXT);
    joined_free(&joined);
}

/* Unpacks one page; the last one may be short. Returns the number of bytes consumed. */
static size_t unpack_page(const uint8_t *data, size_t size, uint8_t page[PROFILE_PAGE], size_t *used) {
    size_t length = size < 2 ? 0 : (data[0] | (size_t)data[1] << 8) % (PROFILE_PAGE + 1);
    bool is_whole = size >= 2 && length <= size - 2;
    *used = is_whole ? PROFILE_PAGE : size < 2 ? 0 : size - 2;
    memset(page, 0, PROFILE_PAGE);
    if (size >= 2)
        memcpy(page, data + 2, is_whole ? length : *used);
    return is_whole ? 2 + length : size;
}

/* Doing everything with each profile would dominate the run time, so a sum over the input chooses. */
static void use(struct profile_file *file, const void *bytes, size_t size, uint8_t choice) {
    if (choice % 8 == 0)
        join_twice(bytes, size);
    else if (choice % 8 == 1)
        show_groups(file, (enum group_by)(1 + choice / 8 % BY_PHASE),
                    (enum report_format)(choice / 8 % FORMATS));
    else if (choice % 8 == 2)
        show_tree(&file->report, choice & 8);
    else if (choice % 8 == 3) {
        report_prepare(&file->report, &(struct report_limits){.top = 0});
        fuzz_export(&file->report, NULL, choice);
    } else if (choice % 8 == 4)
        compare(&file->report, bytes, size, (enum measure)(choice / 8 % MEASURE_SORTS));
    else if (choice % 32 == 5)
        show_page(&file->report);
    else
        show(&file->report, (enum report_format)(choice % FORMATS));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { PAGES = 64 };
    static uint8_t pages[PAGES * PROFILE_PAGE];
    size_t unpacked = 0, used = PROFILE_PAGE;
    uint8_t choice = 0;
    struct profile_file file;
    struct reason why;
    for (size_t at = 0; at < size && used == PROFILE_PAGE && unpacked < sizeof pages; unpacked += used)
        at += unpack_page(data + at, size - at, pages + unpacked, &used);
    for (size_t i = 0; i < size; i++)
        choice ^= data[i];
    /* A block of the exact size, so that a sanitizer detects reads beyond the end. */
    uint8_t *bytes = malloc(unpacked ? unpacked : 1);
    if (!bytes)
        return 0;
    memcpy(bytes, pages, unpacked);
    if (profile_read(&file, bytes, unpacked, &why)) {
        use(&file, bytes, unpacked, choice);
        profile_read_free(&file);
    }
    free(bytes);
    return 0;
}
