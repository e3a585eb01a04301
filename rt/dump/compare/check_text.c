/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report is over its budget, for people. */
#include "dump/compare/check.h"
#include "write/names.h"
#include "write/page.h"

#include <string.h>

/* Of the sites that make up a broken limit. */
enum { SITES_SHOWN = 5 };

static void put_amount(struct out *out, uint64_t amount, enum measure measure) {
    char text[UNITS_SIZE];
    measure_show(text, amount, measure);
    out_text(out, text);
}

static void put_site(struct page *page, const struct report_site *site, enum measure measure, size_t width) {
    char text[UNITS_SIZE];
    measure_show(text, measure_of(site, measure), measure);
    out_text(page->out, "  ");
    for (size_t used = strlen(text); used < width; used++)
        out_char(page->out, ' ');
    out_text(page->out, text);
    out_text(page->out, "  ");
    page_site(page, site);
    page->indent = width + 6;
    page_chain(page, site);
    out_char(page->out, '\n');
}

static void put_sites(struct page *page, const struct check *check, const struct verdict *verdict) {
    const struct report_site *sites[SITES_SHOWN];
    size_t count = check_largest(check, verdict, sites, SITES_SHOWN), width = 0;
    for (size_t i = 0; i < count; i++) {
        char text[UNITS_SIZE];
        measure_show(text, measure_of(sites[i], verdict->limit->measure), verdict->limit->measure);
        if (strlen(text) > width)
            width = strlen(text);
    }
    for (size_t i = 0; i < count; i++)
        put_site(page, sites[i], verdict->limit->measure, width);
    if (verdict->sites <= count)
        return;
    out_text(page->out, "  ");
    page_count(page, verdict->sites - count, " more site\n", " more sites\n");
}

/* "app.budget:3: function parse_*: allocs 1,204, limit 100, over by 1,104" */
static void put_broken(struct page *page, const struct check *check, const struct verdict *verdict) {
    const struct limit *limit = verdict->limit;
    out_plain(page->out, check->budget_path);
    out_char(page->out, ':');
    out_u64(page->out, limit->line);
    out_text(page->out, ": ");
    out_text(page->out, budget_kind_name(limit->kind));
    if (limit->pattern) {
        out_char(page->out, ' ');
        out_plain(page->out, limit->pattern);
    }
    out_text(page->out, ": ");
    out_text(page->out, measure_name(limit->measure));
    out_char(page->out, ' ');
    put_amount(page->out, verdict->actual, limit->measure);
    out_text(page->out, ", limit ");
    put_amount(page->out, limit->most, limit->measure);
    out_text(page->out, ", over by ");
    put_amount(page->out, verdict->actual - limit->most, limit->measure);
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
