/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The excess of a report over its budget, for people. */
#include "dump/compare/check.h"
#include "write/grid.h"

/* Of the sites that make up a broken limit. */
enum { SITES_SHOWN = 5 };

static void cell(char text[GRID_CELL], const void *measure, const void *site, int column) {
    (void)column;
    measure_show(text, measure_of(site, *(const enum measure *)measure), *(const enum measure *)measure);
}

static void put_sites(struct page *page, const struct check *check, const struct verdict *verdict) {
    const struct report_site *sites[SITES_SHOWN];
    size_t count = check_largest(check, verdict, sites, SITES_SHOWN);
    struct grid grid = {.page = page, .cell = cell, .context = &verdict->limit->measure, .count = 1};
    for (size_t i = 0; i < count; i++)
        grid_measure(&grid, sites[i]);
    page->indent = grid_width(&grid) + 4;
    for (size_t i = 0; i < count; i++) {
        out_text(page->out, "  ");
        grid_row(&grid, sites[i]);
        page_site(page, sites[i]);
        page_chain(page, sites[i]);
        grid_end(page);
    }
    if (verdict->sites <= count)
        return;
    out_text(page->out, "  ");
    page_count(page, verdict->sites - count, " more site\n", " more sites\n");
}

void check_say_limit(struct out *out, const struct limit *limit) {
    out_text(out, budget_kind_name(limit->kind));
    if (limit->pattern) {
        out_char(out, ' ');
        out_plain(out, limit->pattern);
    }
    out_text(out, ": ");
    out_text(out, measure_name(limit->measure));
}

void check_say(struct out *out, const struct verdict *verdict) {
    const struct limit *limit = verdict->limit;
    check_say_limit(out, limit);
    out_char(out, ' ');
    measure_write(out, verdict->actual, limit->measure);
    out_text(out, ", limit ");
    measure_write(out, limit->most, limit->measure);
    out_text(out, ", over by ");
    measure_write(out, verdict->actual - limit->most, limit->measure);
}

/* "app.budget:3: function parse_*: allocs 1,204, limit 100, over by 1,104" */
static void put_broken(struct page *page, const struct check *check, const struct verdict *verdict) {
    out_plain(page->out, check->budget_path);
    out_char(page->out, ':');
    out_u64(page->out, verdict->limit->line);
    out_text(page->out, ": ");
    check_say(page->out, verdict);
    out_char(page->out, '\n');
    put_sites(page, check, verdict);
}

void check_text(struct out *out, const struct check *check) {
    struct page page = {.out = out, .report = check->loaded->report};
    loaded_doubts_text(out, check->loaded);
    for (size_t i = 0; i < check->count; i++)
        if (!check->verdicts[i].is_kept)
            put_broken(&page, check, &check->verdicts[i]);
    out_plain(out, check->loaded->path);
    out_text(out, ": ");
    if (check->broken) {
        out_u64(out, check->broken);
        out_text(out, " of ");
    }
    page_count(&page, check->count, " limit", " limits");
    out_text(out, check->broken ? " broken\n" : check->count == 1 ? " kept\n" : ", all kept\n");
}
