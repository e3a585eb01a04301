/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A page for people. */
#include "write/lines.h"

#include "base/path.h"
#include "names/names.h"
#include "write/shown_names.h"

#include <limits.h>
#include <string.h>

void page_code(const struct page *page, const char *text) {
    (page->is_markdown ? out_code : out_plain)(page->out, text);
}

void page_count(const struct page *page, uint64_t count, const char *one, const char *many) {
    char text[UNITS_SIZE];
    units_count(text, count);
    out_text(page->out, text);
    out_text(page->out, count == 1 ? one : many);
}

void page_size(const struct page *page, uint64_t bytes) {
    char text[UNITS_SIZE];
    units_size(text, bytes);
    out_text(page->out, text);
}

void page_share(const struct page *page, uint64_t part, uint64_t whole) {
    char text[UNITS_SIZE];
    units_share(text, part, whole);
    out_text(page->out, text);
}

void page_break(const struct page *page) {
    out_text(page->out, page->is_markdown ? "<br>" : "\n");
    out_spaces(page->out, page->is_markdown ? 0 : page->indent);
}

void place_write_path(struct out *out, const char *path, const char *directory) {
    char text[PATH_MAX];
    path_show(text, sizeof text, path ? path : "?", directory);
    out_plain(out, text);
}

static void put_line(struct out *out, const struct place *place) {
    if (!place->line)
        return;
    out_char(out, ':');
    out_u64(out, place->line);
    if (!place->column)
        return;
    out_char(out, ':');
    out_u64(out, place->column);
}

void place_write(struct out *out, const struct place *place, const char *directory) {
    place_write_path(out, place->file, directory);
    put_line(out, place);
}

/* The end of a path tells more than its beginning. */
static void show_path(char text[PATH_MAX], const struct page *page, const char *path) {
    enum { LINE_AND_COLUMN = 10 };
    path_show(text, PATH_MAX, path ? path : "?", page->report->directory);
    size_t length = strlen(text), room = page->room - LINE_AND_COLUMN;
    if (!page->room || length <= room)
        return;
    const char *from = strchr(text + length - room + strlen("..."), '/');
    from = from ? from : strrchr(text, '/');
    if (!from || (size_t)(from - text) < strlen("..."))
        return;
    memmove(text + strlen("..."), from, strlen(from) + 1);
    memcpy(text, "...", strlen("..."));
}

void page_place(const struct page *page, const struct place *place) {
    char text[PATH_MAX];
    show_path(text, page, place->file);
    page_style(page, STYLE_PLACE);
    out_text(page->out, page->is_markdown ? "`" : "");
    (page->is_markdown ? out_code_part : out_plain)(page->out, text);
    put_line(page->out, place);
    out_text(page->out, page->is_markdown ? "`" : "");
    page_style(page, STYLE_PLAIN);
}

void page_path(const struct page *page, const char *path) {
    char text[PATH_MAX];
    show_path(text, page, path);
    page_code(page, text);
}

void page_begin_line(const struct page *page, const char *text, const char *markdown) {
    out_text(page->out, page->is_markdown ? markdown : text);
}

void page_end_line(const struct page *page) {
    out_text(page->out, page->is_markdown ? ".\n" : "\n");
}

void page_style(const struct page *page, enum style style) {
    static const char *const sequences[] = {"\x1b[m", "\x1b[1m", "\x1b[2m", "\x1b[31m"};
    if (page->report->is_coloured && !page->is_markdown)
        out_text(page->out, sequences[style]);
}

static void put_name(const struct page *page, enum name_kind kind, const char *name) {
    char text[NAME_SIZE];
    if (name && !page->report->limits.full_names)
        name = shown_name(page->report->names, kind, name, line_room(page), text);
    page_code(page, name);
}

void page_function(const struct page *page, const char *name) {
    put_name(page, NAME_FUNCTION, name);
}

void page_type(const struct page *page, const char *name) {
    put_name(page, NAME_TYPE, name);
}

static void put_place(const struct page *page, const struct place *place) {
    page_place(page, place);
    line_space(page);
    page_function(page, place->function);
}

/* That calls main, the function of a thread and those that it is given. */
static bool is_c_library(const struct report_module *module) {
    return strncmp(path_base(module->path), "libc.so", strlen("libc.so")) == 0;
}

/* The function of the module that was called from outside: of the C library, the one that the program knows.
 */
static const char *entry_of(const struct report_site *site) {
    const struct report_stack *stack = site->main_stack;
    size_t entry = 0;
    while (stack && entry < stack->frame_count && stack->frames[entry].module == stack->frames[0].module)
        entry++;
    bool is_known = stack && entry > 1 && entry < stack->frame_count && stack->frames[entry].module &&
                    !is_c_library(stack->frames[entry].module);
    return is_known ? stack->frames[entry - 1].function : NULL;
}

/* Whose calls these are: their line, if debug information told, and the function or the nearest symbol. */
static void put_caller(const struct page *page, const struct report_site *site) {
    const struct site_view *view = &site->view;
    const char *entry = entry_of(site);
    if (view->at.file)
        put_place(page, &view->at);
    else
        page_function(page, view->at.function);
    if (entry) {
        out_text(page->out, " for ");
        page_function(page, entry);
    }
    out_char(page->out, ' ');
}

static void put_unsited(const struct page *page, const struct report_site *site) {
    const struct site_view *view = &site->view;
    static const char what[] = "(unsited in ";
    bool is_told = view->address && view->at.function;
    struct page behind = *page;
    behind.room -= page->room > strlen(what) ? strlen(what) : 0;
    if (is_told)
        put_caller(page, site);
    out_text(page->out, what + !is_told);
    page_path(&behind, view->module);
    if (view->address && !view->at.file) {
        out_text(page->out, "+0x");
        out_hex(page->out, view->address);
    } else if (!view->address && page->report->caller_count)
        out_text(page->out, ", other callers");
    if (is_told)
        out_char(page->out, ')');
}

static void put_sited(const struct page *page, const struct report_site *site) {
    const struct site_view *view = &site->view;
    put_place(page, &view->at);
    out_char(page->out, ' ');
    page_function(page, view->callee);
    if (!type_is_telling(view->type))
        return;
    out_text(page->out, " of ");
    page_type(page, view->type);
}

void page_site(const struct page *page, const struct report_site *site) {
    if (!site)
        out_text(page->out, "an unknown place");
    else
        (site->view.sited ? put_sited : put_unsited)(page, site);
    if (site && site->view.backing)
        out_text(page->out, " (backing, not in the total)");
}

/* What a site was inlined into. Of functions of a library's headers nobody wrote a line here, and those of
 * C++'s come in dozens: only full names have them. NULL: there are no more of them. */
static const struct place *inlined_at(const struct page *page, const struct site_view *view, size_t nth) {
    for (size_t i = 0; i < view->inlined_count; i++) {
        const struct place *place = &view->inlined[i];
        bool is_hidden = place->file && path_is_of_system(place->file) && !page->report->limits.full_names;
        if (!is_hidden && !nth--)
            return place;
    }
    return NULL;
}

static size_t inlined_count(const struct page *page, const struct site_view *view) {
    size_t count = 0;
    while (inlined_at(page, view, count))
        count++;
    return count;
}

void page_site_in(const struct page *page, const struct report_site *site) {
    page_site(page, site);
    size_t count = site ? inlined_count(page, &site->view) : 0;
    if (!count)
        return;
    out_text(page->out, " in ");
    put_place(page, inlined_at(page, &site->view, count - 1));
}

static void put_in(const struct page *page, const struct place *place) {
    struct line line;
    page_break(page);
    line_begin(&line, page, page->indent, page->indent + 2);
    out_text(line.page.out, "in ");
    put_place(&line.page, place);
    line_end(&line);
}

/* "in parse <- load <- 3 more <- main app.c:90:3": who reads wants to know where it begins and ends. */
static void put_folded(const struct page *page, const struct site_view *view, size_t first, size_t last) {
    enum { NAMES = 6 };
    struct line line;
    page_break(page);
    line_begin(&line, page, page->indent, page->indent + 2);
    out_text(line.page.out, "in ");
    for (size_t i = first; i < last; i++) {
        if (i == first + NAMES && last - i > 1) {
            page_count(&line.page, last - i, " more", " more");
            i = last - 1;
        } else
            page_function(&line.page, inlined_at(page, view, i)->function);
        out_text(line.page.out, " <-");
        line_space(&line.page);
    }
    const struct place *outermost = inlined_at(page, view, last);
    page_function(&line.page, outermost->function);
    line_space(&line.page);
    page_place(&line.page, outermost);
    line_end(&line);
}

void page_chain(const struct page *page, const struct report_site *site) {
    enum { WHOLE = 4, LINES = 2 };
    size_t count = site ? inlined_count(page, &site->view) : 0;
    bool is_whole = count <= WHOLE || page->report->limits.full_names;
    for (size_t i = 0; i < (is_whole ? count : LINES); i++)
        put_in(page, inlined_at(page, &site->view, i));
    if (!is_whole)
        put_folded(page, &site->view, LINES, count - 1);
}
