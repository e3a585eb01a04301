/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups for people: for the terminal, and as a Markdown table. */
#include "base/covers.h"
#include "group/write.h"
#include "write/line.h"
#include "write/summary.h"

#include <string.h>

enum { HOLES_INDENT = 4 };

_Static_assert((int)GROUP_COLUMNS <= (int)GRID_COLUMNS, "a grid has room for them");

bool groups_have_before(const struct groups *groups) {
    static const struct counters nothing;
    return memcmp(&groups->before_reset, &nothing, sizeof nothing) != 0;
}

static void put_before(const struct page *page, const struct groups *groups) {
    const struct report before = {.totals = {.counters = groups->before_reset}};
    summary_totals(&(struct page){.out = page->out, .report = &before});
    out_text(page->out, " before the last reset, which the rows have and the total has not");
}

static void put_thread(const struct page *page, const struct group_key *key) {
    if (key->name) {
        page_code(page, key->name);
    } else {
        out_text(page->out, "thread ");
        out_u64(page->out, key->number);
    }
    if (!page->report->several.count)
        return;
    out_text(page->out, " of pid ");
    out_u64(page->out, key->pid);
}

static void put_place(const struct page *page, const struct group_key *key) {
    const struct place place = {.file = key->name, .line = (uint32_t)key->number};
    const char *quote = page->is_markdown ? "`" : "";
    out_text(page->out, key->is_module ? "unsited in " : "");
    out_text(page->out, quote);
    page_place(page, &place);
    out_text(page->out, quote);
}

static void put_key(const struct page *page, enum group_by by, const struct group_key *key) {
    bool is_place = key->is_module || by == BY_MODULE || by == BY_FILE || by == BY_LINE || by == BY_FREED;
    if (key->is_apart)
        out_text(page->out, "start-up and stdio");
    else if (by == BY_STACK)
        page_site(page, key->site);
    else if (by == BY_THREAD)
        put_thread(page, key);
    else if (is_place)
        put_place(page, key);
    else if (by == BY_FUNCTION)
        page_function(page, key->name);
    else if (key->name)
        (by == BY_TYPE ? page_type : page_code)(page, key->name);
    else
        out_text(page->out, group_unnamed(by));
}

static void put_hidden(const struct page *page, const struct groups *groups) {
    static const char filtered[] = "what the filter leaves out";
    size_t count = groups->count - groups->shown;
    if (!count) {
        out_text(page->out, filtered);
        return;
    }
    page_count(page, count, " more ", " more ");
    out_text(page->out, group_by_name(groups->by));
    out_text(page->out, count == 1 ? "" : "s");
    out_text(page->out, groups->has_filtered ? ", and " : "");
    out_text(page->out, groups->has_filtered ? filtered : "");
}

static bool has_hidden(const struct groups *groups) {
    return groups->shown < groups->count || groups->has_filtered;
}

size_t group_frames(const struct groups *groups, const struct group_key *key) {
    size_t count = key->stack ? key->stack->frame_count : 0;
    return groups->depth && groups->depth < count ? groups->depth : count;
}

static void put_stack(const struct page *page, const struct groups *groups, const struct group *row) {
    const struct group_key *key = &row->key;
    if (!key->site)
        return;
    page_chain(page, key->site);
    if (key->stack)
        details_of_stack(page, key->stack, group_frames(groups, key), counters_calls(&row->sum.counters));
}

static void cell(char text[GRID_CELL], const void *groups, const void *row, int column) {
    if (row)
        groups_cell(text, groups, row, column);
    else
        strcpy(text, groups_column_name(column));
}

static void measure(struct grid *grid, const struct groups *groups) {
    grid_measure(grid, NULL);
    for (size_t i = 0; i < groups->shown; i++)
        grid_measure(grid, &groups->rows[i]);
    if (has_hidden(groups))
        grid_measure(grid, &groups->hidden);
    columns_narrow(grid, &groups->limits);
}

static void put_row(const struct page *page, const struct grid *grid, const struct group *row) {
    const struct groups *groups = grid->context;
    const struct page behind = {.out = page->out,
                                .report = page->report,
                                .is_markdown = page->is_markdown,
                                .indent = grid_indent(grid)};
    struct line line;
    grid_row(grid, row);
    line_begin(&line, &behind, grid_width(grid), behind.indent);
    put_key(&line.page, groups->by, &row->key);
    line_end(&line);
    put_stack(&behind, groups, row);
    groups_put_holes(page, groups, &row->use);
    grid_end(page);
}

static void put_rows(const struct page *page, const struct groups *groups) {
    struct grid grid = {.page = page, .cell = cell, .context = groups};
    grid.count = groups_columns(grid.columns, groups, page->report);
    measure(&grid, groups);
    grid_head(&grid, groups->by == BY_FREED ? "by" : group_by_name(groups->by));
    for (size_t i = 0; i < groups->shown; i++)
        put_row(page, &grid, &groups->rows[i]);
    if (!has_hidden(groups))
        return;
    grid_row(&grid, &groups->hidden);
    put_hidden(page, groups);
    grid_end(page);
}

static void put_head(const struct page *page, const struct groups *groups) {
    (page->is_markdown ? summary_markdown : summary_text)(page);
    if (groups->by == BY_TYPE)
        groups_put_types(page, groups);
    if (!groups_have_before(groups))
        return;
    page_begin_line(page, "reset: ", "\nReset: ");
    put_before(page, groups);
    page_end_line(page);
}

void groups_text(struct out *out, const struct groups *groups, const struct report *report) {
    const struct page page = {.out = out, .report = report, .indent = HOLES_INDENT};
    put_head(&page, groups);
    if (groups->count || groups->has_filtered)
        put_rows(&page, groups);
}

void groups_markdown(struct out *out, const struct groups *groups, const struct report *report) {
    const struct page page = {.out = out, .report = report, .is_markdown = true};
    put_head(&page, groups);
    out_char(out, '\n');
    put_rows(&page, groups);
}

void groups_write(struct out *out, const struct groups *groups, const struct report *report,
                  enum report_format format) {
    static void (*const writers[])(struct out *, const struct groups *, const struct report *) = {
        [FORMAT_TEXT] = groups_text, [FORMAT_JSON] = groups_json,         [FORMAT_CSV] = groups_csv,
        [FORMAT_TSV] = groups_tsv,   [FORMAT_MARKDOWN] = groups_markdown,
    };
    COVERS(writers, FORMATS);
    writers[format](out, groups, report);
}
