/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From the bytes of a report to its difference from the same report of edited code, in all its forms. */
#include "fuzz.h"

#include "dump/compare/diff.h"
#include "dump/html/html.h"

#include <stdlib.h>

/* Other ids for some of the sites, other lines and counts for others. */
static void edit(struct report_file *file) {
    for (size_t i = 0; i < file->report.site_count; i++) {
        struct report_site *site = file->report.sites[i];
        if (site->view.at.column % 2)
            site->view.id ^= 1;
        site->view.at.line += site->view.at.column % 4;
        site->counters.allocs ^= site->view.at.line % 3;
    }
    if (file->report.site_count && file->report.sites[0]->view.at.column % 5 == 0)
        file->report.site_count--;
}

static void write_all(const struct loaded *old, const struct loaded *new, enum measure sort) {
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
    html_write(&out, &(struct html){.report = new->report, .diff = &diff, .symbolizer = &nothing});
    diff_free(&diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct report_file old_file, new_file;
    struct report_limits everything = {.top = 0};
    struct reason why;
    if (!size || !report_read(&old_file, (const char *)data, size, &why))
        return 0;
    if (report_read(&new_file, (const char *)data, size, &why)) {
        struct loaded old = {.path = "old", .report = &old_file.report};
        struct loaded new = {.path = "new", .report = &new_file.report};
        edit(&new_file);
        report_prepare(old.report, &everything);
        report_prepare(new.report, &everything);
        write_all(&old, &new, (enum measure)(size % MEASURE_SORTS));
        report_read_free(&new_file);
    }
    report_read_free(&old_file);
    return 0;
}
