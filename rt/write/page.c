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

void page_count(const struct page *page, uint64_t count, const char *singular, const char *plural) {
    out_print(page->out, "%s%s", COUNT_TEXT(count), count == 1 ? singular : plural);
}

void page_size(const struct page *page, uint64_t bytes) {
    out_text(page->out, SIZE_TEXT(bytes));
}

void page_share(const struct page *page, uint64_t part, uint64_t whole) {
    out_text(page->out, SHARE_TEXT(part, whole));
}

void page_break(const struct page *page) {
    out_text(page->out, page->is_markdown ? "<br>" : "\n");
    out_spaces(page->out, page->is_markdown ? 0 : page->indent);
}

static void put_line(struct out *out, const struct place *place) {
    if (!place->line)
        return;
    out_print(out, ":%u", place->line);
    if (!place->column)
        return;
    out_print(out, ":%u", place->column);
}

void place_write(struct out *out, const struct place *place, const char *directory) {
    char text[PATH_MAX];
    path_show(text, sizeof text, place->file ? place->file : "?", directory);
    out_plain(out, text);
    put_line(out, place);
}

/* Shortens a path at its beginning, because the end identifies the file. */
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

static void put_place(const struct page *page, const struct place *place) {
    char text[PATH_MAX];
    show_path(text, page, place->file);
    out_text(page->out, page->is_markdown ? "`" : "");
    (page->is_markdown ? out_code_part : out_plain)(page->out, text);
    put_line(page->out, place);
    out_text(page->out, page->is_markdown ? "`" : "");
}

void page_place(const struct page *page, const struct place *place) {
    page_style(page, STYLE_PLACE);
    put_place(page, place);
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

/* Functions of the C library call main and the functions that start threads. */
static bool is_c_library(const struct report_module *module) {
    return strncmp(path_base(module->path), "libc.so", strlen("libc.so")) == 0;
}

/* Returns the function through which the program called the module; NULL if the C library called it. */
static const char *entry_of(const struct report_site *site) {
    const struct report_stack *stack = site->main_stack;
    size_t entry = 0;
    while (stack && entry < stack->frame_count && stack->frames[entry].module == stack->frames[0].module)
        entry++;
    bool is_known = stack && entry > 1 && entry < stack->frame_count && stack->frames[entry].module &&
                    !is_c_library(stack->frames[entry].module);
    return is_known ? stack->frames[entry - 1].function : NULL;
}

/* Writes ": function" with a possible line break between the two. */
static void put_function(const struct page *page, const char *function) {
    out_char(page->out, ':');
    line_space(page);
    page_function(page, function);
}

/* Returns false for a placeholder made of the function's start address: the call's own address is more
 * precise. */
static bool has_name(const struct site_view *view) {
    static const char nameless[] = "[function at ";
    return view->at.function && strncmp(view->at.function, nameless, sizeof nameless - 1) != 0;
}

/* Writes "libc.so.6+0x758cc". The row that sums up a module's other callers has no address. */
static void put_code(const struct page *page, const struct report_site *site) {
    page_code(page, site->view.module ? path_base(site->view.module) : NULL);
    if (site->view.address) {
        out_print(page->out, "+0x%lx", site->view.address);
    } else if (page->report->caller_count)
        out_text(page->out, ", other callers");
}

/* Writes an allocation outside instrumented code: the source line if debug information has it, else the
 * address. */
static void put_unsited(const struct page *page, const struct report_site *site) {
    const struct site_view *view = &site->view;
    const char *entry = entry_of(site);
    if (view->at.file)
        page_place(page, &view->at);
    else
        put_code(page, site);
    if (view->address && (has_name(view) || view->at.file))
        put_function(page, view->at.function);
    if (entry && view->address) {
        out_text(page->out, " for ");
        page_function(page, entry);
    }
    if (!view->at.file)
        return;
    out_text(page->out, " (");
    page_code(page, view->module ? path_base(view->module) : NULL);
    out_char(page->out, ')');
}

static void put_sited(const struct page *page, const struct report_site *site) {
    const struct site_view *view = &site->view;
    page_place(page, &view->at);
    put_function(page, view->at.function);
    out_text(page->out, " -> ");
    page_function(page, view->callee);
    if (!type_is_specific(view->type))
        return;
    out_text(page->out, " [");
    page_type(page, view->type);
    out_char(page->out, ']');
}

void page_site(const struct page *page, const struct report_site *site) {
    if (!site)
        out_text(page->out, "an unknown place");
    else
        (site->view.sited ? put_sited : put_unsited)(page, site);
    if (site && site->view.outside_totals)
        out_text(page->out,
                 site->view.mapping ? " (mapping, not in the total)" : " (chunk, not in the total)");
}

void page_caller(const struct page *page, const struct place *place) {
    page_function(page, place->function);
    if (!place->file)
        return;
    out_text(page->out, " (");
    put_place(page, &(struct place){.file = place->file, .line = place->line});
    out_char(page->out, ')');
}

/* Returns the nth function that the site was inlined into; NULL if there are fewer. Skips functions of C++
 * headers unless names are full: one line of a user can inline dozens of them. */
static const struct place *inlined_at(const struct page *page, const struct site_view *view, size_t nth) {
    for (size_t i = 0; i < view->inlined_count; i++) {
        const struct place *place = &view->inlined[i];
        bool is_hidden = place->file && path_is_of_system(place->file) && !page->report->limits.full_names;
        if (!is_hidden && !nth--)
            return place;
    }
    return NULL;
}

bool page_inlined(const struct page *page, const struct report_site *site, const char *before) {
    enum { SHOWN = 4 };
    size_t count = 0;
    while (site && inlined_at(page, &site->view, count))
        count++;
    bool is_whole = count <= SHOWN + 1 || page->report->limits.full_names;
    for (size_t i = 0; i < count; i++) {
        out_text(page->out, i ? " <- " : before);
        if (i == SHOWN && !is_whole) {
            page_count(page, count - 1 - i, " more <- ", " more <- ");
            i = count - 1;
        }
        page_caller(page, inlined_at(page, &site->view, i));
    }
    return count;
}

void page_site_in(const struct page *page, const struct report_site *site) {
    page_site(page, site);
    page_inlined(page, site, " <- ");
}

void page_chain(const struct page *page, const struct report_site *site) {
    struct line line;
    if (!site || !inlined_at(page, &site->view, 0))
        return;
    page_begin_below(&line, page);
    page_inlined(&line.page, site, "called by ");
    page_end_below(&line);
}

void page_begin_below(struct line *line, const struct page *page) {
    page_break(page);
    line_begin(line, page, page->indent, page->indent + 2);
    page_style(&line->page, STYLE_FAINT);
}

void page_end_below(struct line *line) {
    page_style(&line->page, STYLE_PLAIN);
    line_end(line);
}
