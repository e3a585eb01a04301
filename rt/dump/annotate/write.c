/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Annotated source for people, and remarks for editors. */
#include "dump/annotate/annotate.h"
#include "dump/view/measure.h"
#include "write/grid.h"

#include <string.h>

struct writing {
    struct page page;
    const struct annotations *annotations;
    const struct annotated *file;
    struct grid grid;
    size_t digits; /* of the numbers of lines */
    size_t next;   /* of the file's lines */
    bool has_gap;  /* lines before this one are not shown */
};

/* row: struct report_site. */
static void cell(char text[GRID_CELL], const void *context, const void *row, int column) {
    (void)context;
    if (row)
        measure_show(text, measure_of(row, (enum measure)column), (enum measure)column);
    else
        strcpy(text, measure_name((enum measure)column));
}

static size_t digits_of(uint64_t number) {
    size_t digits = 1;
    while (number /= 10)
        digits++;
    return digits;
}

/* What no line may do to a terminal; a tabulator goes to the next eighth column. */
static void put_text(struct out *out, const char *text, size_t length) {
    char character[5];
    for (size_t at = 0, column = 0, size; at < length; at += size, column++) {
        size_t spaces = 8 - column % 8, left = length - at;
        memcpy(character, text + at, left < 4 ? left : 4);
        character[left < 4 ? left : 4] = '\0';
        size = 1;
        if (*character == '\t') {
            out_spaces(out, spaces);
            column += spaces - 1;
        } else if (*character && (*character != '\r' || left > 1))
            size = out_plain_character(out, character);
    }
}

static void put_line(const struct writing *writing, uint64_t number, const struct report_site *sum,
                     const char *text, size_t length) {
    struct out *out = writing->page.out;
    page_style(&writing->page, sum ? STYLE_PLACE : STYLE_FAINT);
    if (sum)
        grid_row(&writing->grid, sum);
    else
        out_spaces(out, grid_width(&writing->grid));
    out_spaces(out, writing->digits - digits_of(number));
    out_u64(out, number);
    page_style(&writing->page, STYLE_PLAIN);
    out_text(out, length ? "  " : "");
    put_text(out, text, length);
    out_char(out, '\n');
}

static uint64_t number_at(const struct writing *writing, size_t line) {
    return line < writing->file->count ? writing->file->lines[line]->key.number : UINT64_MAX;
}

/* The sum of the line, if it is the next one that allocates. */
static bool take_line(struct writing *writing, uint64_t number, struct report_site *sum) {
    *sum = (struct report_site){.lost_blocks = 0};
    size_t first = writing->next;
    while (number_at(writing, writing->next) == number)
        counters_add(&sum->counters, &writing->file->lines[writing->next++]->sum.counters);
    return writing->next > first;
}

static bool is_shown(const struct writing *writing, uint64_t number) {
    uint64_t context = writing->annotations->context,
             before = writing->next ? number_at(writing, writing->next - 1) : 0;
    return writing->annotations->is_whole || (before && number - before <= context) ||
           number_at(writing, writing->next) - number <= context;
}

static void put_source(struct writing *writing, struct source_text *text) {
    const char *line;
    size_t length;
    struct report_site sum;
    for (uint64_t number = 1; source_text_next(text, &line, &length); number++) {
        bool has_gap = writing->has_gap, has_sites = take_line(writing, number, &sum);
        writing->has_gap = !has_sites && !is_shown(writing, number);
        if (writing->has_gap)
            continue;
        if (has_gap && number > 1) {
            out_spaces(writing->page.out, grid_width(&writing->grid));
            out_text(writing->page.out, "...\n");
        }
        put_line(writing, number, has_sites ? &sum : NULL, line, length);
    }
}

/* Lines that the source does not have, or all if there is none. */
static void put_rest(struct writing *writing) {
    struct report_site sum;
    while (writing->next < writing->file->count) {
        uint64_t number = number_at(writing, writing->next);
        take_line(writing, number, &sum);
        put_line(writing, number, &sum, "", 0);
    }
}

/* Number of the last line that is shown. */
static uint64_t last_shown(const struct annotations *annotations, const struct annotated *file,
                           struct source_text text) {
    uint64_t last = file->lines[file->count - 1]->key.number, lines = 0;
    const char *line;
    size_t length;
    while (source_text_next(&text, &line, &length))
        lines++;
    uint64_t more = lines > last ? lines - last : 0;
    return last + (annotations->is_whole || more < annotations->context ? more : annotations->context);
}

static void put_head(const struct writing *writing, const struct source_text *text) {
    const struct page *page = &writing->page;
    page_style(page, STYLE_PLACE);
    page_path(page, writing->file->path);
    page_style(page, STYLE_PLAIN);
    out_text(page->out, ": ");
    page_size(page, writing->file->bytes);
    out_text(page->out, !text->bytes     ? "; the source is not there\n"
                        : text->is_newer ? "; the source is newer than the run\n"
                                         : "\n");
}

void annotated_write(struct out *out, const struct annotations *annotations, const struct annotated *file) {
    const struct report *report = annotations->report;
    struct writing writing = {
        .page = {.out = out, .report = report}, .annotations = annotations, .file = file, .has_gap = true};
    struct source_text text;
    writing.grid = (struct grid){.page = &writing.page, .cell = cell};
    grid_number_columns(&writing.grid, report->is_unowned ? MEASURE_LIVE : MEASURE_SORTS);
    grid_measure(&writing.grid, NULL);
    for (size_t i = 0; i < file->count; i++)
        grid_measure(&writing.grid, &file->lines[i]->sum);
    source_text_open(&text, file->path, annotations->directory, report->run.begun);
    writing.digits = digits_of(last_shown(annotations, file, text));
    put_head(&writing, &text);
    grid_head(&writing.grid, "line");
    put_source(&writing, &text);
    put_rest(&writing);
    source_text_close(&text);
}

/* ---- Remarks. */

static void put_remark(const struct page *page, const struct report_site *site) {
    const struct counters *counters = &site->counters;
    const struct site_view *view = &site->view;
    struct out *out = page->out;
    page_place(page, &view->at);
    out_text(out, ": remark: ");
    page_function(page, view->callee ? view->callee : "unsited");
    if (view->type && strcmp(view->type, "bytes") != 0) { /* which says that nothing is known */
        out_text(out, " of ");
        page_type(page, view->type);
    }
    out_text(out, ": ");
    page_count(page, counters_calls(counters), " allocation of ", " allocations of ");
    page_size(page, counters_bytes(counters));
    if (!page->report->is_unowned) {
        out_text(out, ", live ");
        page_size(page, counters->live_bytes);
        out_text(out, ", at the peak ");
        page_size(page, counters->peak_bytes);
    }
    out_text(out, " [allocsite]\n");
}

void annotated_remarks(struct out *out, const struct annotations *annotations, const struct annotated *file) {
    struct page page = {.out = out, .report = annotations->report};
    for (size_t i = 0; i < file->site_count; i++)
        put_remark(&page, annotated_site(file, i));
}
