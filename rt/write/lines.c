/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lines for people. */
#include "write/lines.h"

#include "base/path.h"
#include "write/shown_names.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

/* ---- Lines for people that fit a width. */

static size_t given_width(void) {
    const char *columns = secure_getenv("COLUMNS");
    size_t width = 0;
    for (; columns && *columns >= '0' && *columns <= '9' && width < 10000; columns++)
        width = width * 10 + (size_t)(*columns - '0');
    return columns && *columns ? 0 : width;
}

static bool has_colour(void) {
    const char *without = secure_getenv("NO_COLOR"), *terminal = secure_getenv("TERM");
    return !(without && *without) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool is_below(const char *path, const char *directory) {
    size_t length = directory ? strlen(directory) : 0;
    return length > 1 && strncmp(path, directory, length) == 0 && path[length] == '/';
}

/* Shortens directory to the components that it has in common with path. */
static void keep_common(char *directory, const char *path) {
    size_t same = 0;
    while (directory[same] && directory[same] == path[same])
        same++;
    if (directory[same] || path[same] != '/')
        while (same && directory[same] != '/')
            same--;
    directory[same] = '\0';
}

void line_directory(struct report *report) {
    static char common[PATH_MAX];
    char path[PATH_MAX];
    bool has_any = false;
    for (size_t i = 0; i < report->site_count; i++) {
        const struct site_view *view = &report->sites[i]->view;
        if (!view->sited || !view->at.file || view->at.file[0] != '/' || path_is_of_system(view->at.file))
            continue;
        path_show(path, sizeof path, view->at.file, NULL);
        if (is_below(path, report->directory))
            return;
        if (has_any)
            keep_common(common, path);
        else
            strcpy(common, path)[strrchr(path, '/') - path] = '\0';
        has_any = true;
    }
    report->is_elsewhere = has_any && common[0];
    report->directory = report->is_elsewhere ? common : report->directory;
}

static void add_names(struct shown_names *names, const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++) {
        const struct site_view *view = &report->sites[i]->view;
        shown_names_add(names, NAME_TYPE, view->type);
        shown_names_add(names, NAME_FUNCTION, view->at.function);
        for (size_t j = 0; j < view->inlined_count; j++)
            shown_names_add(names, NAME_FUNCTION, view->inlined[j].function);
    }
}

void line_names(struct report *report, const struct report *other) {
    static struct shown_names names;
    shown_names_free(&names);
    add_names(&names, report);
    if (other)
        add_names(&names, other);
    report->names = &names;
}

void line_fit(struct report *report, int fd) {
    struct winsize size = {.ws_col = 0};
    bool is_terminal = ioctl(fd, TIOCGWINSZ, &size) == 0;
    size_t width = given_width();
    width = width ? width : size.ws_col ? size.ws_col : LINE_WIDTH;
    report->width = width < LINE_WIDTH_LEAST ? LINE_WIDTH_LEAST : width;
    report->is_coloured = is_terminal && has_colour();
    line_directory(report);
}

enum { ROOM_MOST = 72, ROOM_LEAST = 20 };

/* Marks a preferred line break in the text of a line. Names never contain it, because out_plain replaces
 * control characters. */
static const char soft = '\v';

void line_begin(struct line *line, const struct page *to, size_t used, size_t indent) {
    size_t width = line_width(to);
    line->page = *to;
    line->to = to;
    line->used = used;
    line->indent = indent;
    line->page.room = 0;
    if (!width || to->report->limits.full_names)
        return;
    line->page.room = width > used + ROOM_LEAST ? width - used : ROOM_LEAST;
    out_open_memory(&line->out, line->text, sizeof line->text);
    line->page.out = &line->out;
}

void line_space(const struct page *page) {
    out_char(page->out, page->room ? soft : ' ');
}

/* Returns the number of bytes before the first of the stops, and sets their width in columns. Colour
 * sequences have no width. */
static size_t part_at(const char *text, const char *stops, size_t *columns) {
    size_t length = 0;
    *columns = 0;
    while (text[length] && !strchr(stops, text[length])) {
        if (text[length] == '\x1b') {
            length += strcspn(text + length, "m");
            length += text[length] != '\0'; /* a cut line can end within a colour sequence */
            continue;
        }
        size_t character = utf8_length(text + length);
        length += character ? character : 1;
        ++*columns;
    }
    return length;
}

static const char unnamed[] = "(anonymous namespace)";
enum { UNNAMED_WORD = sizeof "(anonymous" - 1 };

/* Like part_at, up to the next possible line break. A number stays with its noun, and a function with its
 * source location. */
static size_t word_at(const char *text, size_t *columns) {
    enum { TOGETHER = 60 };
    size_t length = part_at(text, " \v", columns), more, used;
    if (length >= UNNAMED_WORD && strncmp(text + length - UNNAMED_WORD, unnamed, sizeof unnamed - 1) == 0) {
        length += 1 + part_at(text + length + 1, " \v", &more);
        *columns += 1 + more;
    }
    bool is_number = length && strspn(text, "0123456789.,+(") == length && text[length] == ' ';
    if (!is_number &&
        (strncmp(text + length, " (", 2) != 0 || strncmp(text + length + 1, unnamed, UNNAMED_WORD) == 0))
        return length;
    used = part_at(text + length + 1, " \v", &more);
    if (!is_number && *columns + more >= TOGETHER)
        return length;
    *columns += 1 + more;
    return length + 1 + used;
}

static void go_on_below(struct line *line) {
    out_char(line->to->out, '\n');
    out_spaces(line->to->out, line->indent);
    line->used = line->indent;
}

void line_end(struct line *line) {
    struct out *out = line->to->out;
    size_t width = line_width(line->to), columns;
    if (!line->page.room)
        return;
    part_at(line->text, "", &columns);
    bool is_whole = line->used + columns <= width;
    char before = '\0';
    for (const char *text = line->text; *text; text += *text != '\0') {
        size_t length = word_at(text, &columns);
        bool fits = line->used + (before != '\0') + columns <= width && (is_whole || before != soft);
        if (!fits && line->used > line->indent)
            go_on_below(line);
        else if (before) {
            out_char(out, ' ');
            line->used++;
        }
        out_bytes(out, text, length);
        line->used += columns;
        text += length;
        before = *text;
    }
}

void line_cut(struct line *line) {
    const char *at = line->page.room ? line->text : "";
    for (size_t width = line_width(line->to); *at && line->used < width; line->used++) {
        size_t length = utf8_length(at);
        length = length ? length : 1;
        if (*at == soft)
            out_char(line->to->out, ' ');
        else
            out_bytes(line->to->out, at, length);
        at += length;
    }
}

/* On a very narrow terminal, names exceed the width rather than disappear. */
size_t line_room(const struct page *page) {
    size_t width = line_width(page), room = width > page->indent ? width - page->indent : 0;
    if (!width || room > ROOM_MOST)
        return ROOM_MOST;
    return room < ROOM_LEAST ? ROOM_LEAST : room;
}

/* ---- Rows for people. */

void grid_number_columns(struct grid *grid, size_t count) {
    for (grid->count = 0; grid->count < count; grid->count++)
        grid->columns[grid->count] = (int)grid->count;
}

static bool is_nothing(const char *text) {
    return !text[0] || strcmp(text, "-") == 0 || strcmp(text, "0") == 0 || strcmp(text, "0 B") == 0;
}

void grid_measure(struct grid *grid, const void *row) {
    char text[GRID_CELL];
    for (size_t i = 0; i < grid->count; i++) {
        grid->cell(text, grid->context, row, grid->columns[i]);
        grid->widths[i] = grid_wider(grid->widths[i], strlen(text), GRID_CELL);
        grid->is_filled[i] |= row && !is_nothing(text);
    }
}

size_t grid_width(const struct grid *grid) {
    size_t width = 2 * grid->count;
    for (size_t i = 0; i < grid->count; i++)
        width += grid->widths[i];
    return width;
}

static void grid_drop(struct grid *grid, int column, bool is_filled) {
    for (size_t i = 0; i < grid->count; i++) {
        if (grid->columns[i] != column || grid->is_filled[i] != is_filled)
            continue;
        size_t following = --grid->count - i;
        memmove(&grid->columns[i], &grid->columns[i + 1], following * sizeof *grid->columns);
        memmove(&grid->widths[i], &grid->widths[i + 1], following * sizeof *grid->widths);
        memmove(&grid->is_filled[i], &grid->is_filled[i + 1], following * sizeof *grid->is_filled);
        grid->dropped[grid->dropped_count++] = column;
        return;
    }
}

void grid_narrow(struct grid *grid, size_t room, const int *gives_way, size_t count) {
    size_t width = line_width(grid->page);
    for (size_t i = 0; width && i < 2 * count && grid_width(grid) + room > width; i++)
        grid_drop(grid, gives_way[i % count], i >= count);
}

/* Names of counts: allocs, reallocs, blocks. */
static bool is_plural(const char *name) {
    size_t length = strlen(name);
    return length && name[length - 1] == 's';
}

void grid_put_dropped(const struct grid *grid, const struct page *page, const void *row) {
    char text[GRID_CELL], name[GRID_CELL];
    struct line line;
    bool has_begun = false;
    for (size_t i = grid->dropped_count; i-- > 0;) {
        grid->cell(name, grid->context, NULL, grid->dropped[i]);
        grid->cell(text, grid->context, row, grid->dropped[i]);
        if (is_nothing(text))
            continue;
        if (has_begun)
            out_text(line.page.out, ", ");
        else
            page_begin_below(&line, page);
        has_begun = true;
        out_text(line.page.out, text);
        out_char(line.page.out, ' ');
        out_bytes(line.page.out, name, strlen(name) - (strcmp(text, "1") == 0 && is_plural(name)));
    }
    if (has_begun)
        page_end_below(&line);
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
    out_print(page->out, "%s%s", text, page->is_markdown ? " " : "  ");
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
