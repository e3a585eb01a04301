/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows for people. */
#include "write/grid.h"

#include "write/line.h"

#include <string.h>

void grid_number_columns(struct grid *grid, size_t count) {
    for (grid->count = 0; grid->count < count; grid->count++)
        grid->columns[grid->count] = (int)grid->count;
}

void grid_measure(struct grid *grid, const void *row) {
    char text[GRID_CELL];
    for (size_t i = 0; i < grid->count; i++) {
        grid->cell(text, grid->context, row, grid->columns[i]);
        grid->widths[i] = grid_wider(grid->widths[i], strlen(text), GRID_CELL);
    }
}

size_t grid_width(const struct grid *grid) {
    size_t width = 2 * grid->count;
    for (size_t i = 0; i < grid->count; i++)
        width += grid->widths[i];
    return width;
}

static void drop(struct grid *grid, int column) {
    for (size_t i = 0; i < grid->count; i++) {
        if (grid->columns[i] != column)
            continue;
        size_t behind = --grid->count - i;
        memmove(&grid->columns[i], &grid->columns[i + 1], behind * sizeof *grid->columns);
        memmove(&grid->widths[i], &grid->widths[i + 1], behind * sizeof *grid->widths);
        return;
    }
}

void grid_narrow(struct grid *grid, size_t room, const int *gives_way, size_t count) {
    size_t width = line_width(grid->page);
    for (size_t i = 0; width && i < count && grid_width(grid) + room > width; i++)
        drop(grid, gives_way[i]);
}

size_t grid_indent(const struct grid *grid) {
    enum { BELOW_LAST = 64, BELOW_ALL = 12 };
    size_t width = line_width(grid->page), indent = grid_width(grid) + 2;
    return width && width < indent + BELOW_LAST && indent > BELOW_ALL ? BELOW_ALL : indent;
}

static void put_cell(const struct page *page, const char *text, size_t width) {
    out_text(page->out, page->is_markdown ? "| " : "");
    for (size_t used = strlen(text); used < width && !page->is_markdown; used++)
        out_char(page->out, ' ');
    out_text(page->out, text);
    out_text(page->out, page->is_markdown ? " " : "  ");
}

void grid_row(const struct grid *grid, const void *row) {
    char text[GRID_CELL];
    for (size_t i = 0; i < grid->count; i++) {
        grid->cell(text, grid->context, row, grid->columns[i]);
        put_cell(grid->page, text, grid->widths[i]);
    }
    out_text(grid->page->out, grid->page->is_markdown ? "| " : "");
}

void grid_end(const struct page *page) {
    out_text(page->out, page->is_markdown ? " |\n" : "\n");
}

void grid_head(const struct grid *grid, const char *last) {
    grid_row(grid, NULL);
    out_text(grid->page->out, last);
    grid_end(grid->page);
    if (!grid->page->is_markdown)
        return;
    for (size_t i = 0; i < grid->count; i++)
        out_text(grid->page->out, "|---:");
    out_text(grid->page->out, "|---|\n");
}

void out_spaces(struct out *out, size_t count) {
    while (count--)
        out_char(out, ' ');
}

void grid_pad(struct out *out, size_t used, size_t width) {
    out_spaces(out, 2 + (used < width ? width - used : 0));
}

size_t grid_wider(size_t width, size_t other, size_t limit) {
    return other > width && other <= limit ? other : width;
}
