/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes source files with the allocations of their lines. */
#include "dump/annotate/annotate.h"

#include "base/arrays.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/view/measure.h"
#include "dump/view/view.h"
#include "write/lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- The text of a file. */

struct source_text {
    char *bytes;     /* NULL: not found */
    size_t size, at; /* at: offset of the next line */
    bool is_newer;   /* modified after the program's run */
};

/* ---- Files and their allocating lines. */

static int compare_lines(const void *a, const void *b) {
    const struct group_key *left = &(*(const struct group *const *)a)->key,
                           *right = &(*(const struct group *const *)b)->key;
    return compare_text(left->name, right->name) ?: compare_u64(left->number, right->number);
}

static int compare_files(const void *a, const void *b) {
    const struct annotated *left = a, *right = b;
    return compare_u64(right->bytes, left->bytes) ?: compare_text(left->path, right->path);
}

struct annotated_site {
    const struct report_site *site;
    size_t number; /* in the report */
};

static int compare_sites(const void *a, const void *b) {
    const struct annotated_site *left = a, *right = b;
    return strcmp(left->site->view.at.file, right->site->view.at.file)
               ?: compare_u64(left->number, right->number);
}

/* Groups the sites by file. A separate search for each file could take time quadratic in the number of
 * files. */
static size_t list_sites(struct annotations *annotations) {
    const struct report *report = annotations->report;
    size_t count = 0;
    annotations->sites = memory_zeros(report->counted, sizeof *annotations->sites);
    for (size_t i = 0; i < report->counted; i++) {
        const struct site_view *view = &report->sites[i]->view;
        if (!view->outside_totals && view->at.line && view->at.file)
            annotations->sites[count++] = (struct annotated_site){report->sites[i], i};
    }
    qsort(annotations->sites, count, sizeof *annotations->sites, compare_sites);
    return count;
}

static int compare_file(const void *path, const void *site) {
    return strcmp(path, ((const struct annotated_site *)site)->site->view.at.file);
}

static void find_sites(struct annotated *file, const struct annotated_site *sites, size_t count) {
    size_t first = sorted_before(sites, count, sizeof *sites, file->path, compare_file);
    file->sites = sites + first;
    while (first + file->site_count < count &&
           compare_file(file->path, sites + first + file->site_count) == 0)
        file->site_count++;
}

static const struct report_site *annotated_site(const struct annotated *file, size_t index) {
    return file->sites[index].site;
}

static size_t list_lines(struct annotations *annotations) {
    const struct groups *groups = &annotations->groups;
    size_t count = 0;
    annotations->lines = memory_zeros(groups->count, sizeof *annotations->lines);
    for (size_t i = 0; i < groups->count; i++) {
        const struct group_key *key = &groups->rows[i].key;
        if (key->name && key->number && !key->is_module)
            annotations->lines[count++] = &groups->rows[i];
    }
    qsort(annotations->lines, count, sizeof *annotations->lines, compare_lines);
    return count;
}

void annotations_make(struct annotations *annotations) {
    struct report_limits everything = {.top = 0};
    annotations->groups.by = BY_LINE;
    groups_add_sites(&annotations->groups, annotations->report);
    groups_prepare(&annotations->groups, &everything);
    size_t count = list_lines(annotations), site_count = list_sites(annotations);
    annotations->files = memory_zeros(count, sizeof *annotations->files);
    for (size_t i = 0; i < count; i++) {
        const struct group *line = annotations->lines[i];
        if (!i || strcmp(annotations->lines[i - 1]->key.name, line->key.name) != 0)
            annotations->files[annotations->count++] =
                (struct annotated){.path = line->key.name, .lines = &annotations->lines[i]};
        struct annotated *file = &annotations->files[annotations->count - 1];
        file->bytes += counters_bytes(&line->sum.counters);
        file->count++;
    }
    for (size_t i = 0; i < annotations->count; i++)
        find_sites(&annotations->files[i], annotations->sites, site_count);
    qsort(annotations->files, annotations->count, sizeof *annotations->files, compare_files);
}

void annotations_free(struct annotations *annotations) {
    groups_free(&annotations->groups);
    free(annotations->lines);
    free(annotations->sites);
    free(annotations->files);
}

bool annotated_is(const struct annotated *file, const char *name) {
    size_t length = strlen(file->path), end = strlen(name);
    const char *at = end <= length ? file->path + length - end : NULL;
    return at && strcmp(at, name) == 0 && (at == file->path || *name == '/' || at[-1] == '/');
}

/* ---- The text of a file. */

/* Reads only regular files: the path may come from a hostile profile, and reading a pipe could block
 * forever. */
static bool read_text(struct source_text *text, const char *path, uint64_t begun) {
    struct stat status;
    struct reason why;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        !whole_input(path, &text->bytes, &text->size, &why))
        return false;
    text->is_newer = begun && (uint64_t)status.st_mtim.tv_sec > begun / 1000000000;
    return true;
}

/* directory: if the file is not at its path, it is searched here, first by its whole path, then without the
 * first folder of the path, and so on. */
static void source_text_open(struct source_text *text, const char *path, const char *directory,
                             uint64_t begun) {
    *text = (struct source_text){.bytes = NULL};
    bool is_found = read_text(text, path, begun);
    for (const char *end = path; directory && end && !is_found;) {
        char *below = memory_text("%s/%s", directory, end + (*end == '/'));
        is_found = read_text(text, below, begun);
        free(below);
        end = strchr(end + 1, '/');
    }
}

static void source_text_close(struct source_text *text) {
    free(text->bytes);
}

/* The next line without its newline. False: end of the file. */
static bool source_text_next(struct source_text *text, const char **line, size_t *length) {
    if (text->at >= text->size)
        return false;
    *line = text->bytes + text->at;
    const char *end = memchr(*line, '\n', text->size - text->at);
    *length = end ? (size_t)(end - *line) : text->size - text->at;
    text->at += *length + 1;
    return true;
}

/* ---- Annotated source for people, and remarks for editors. */

struct writing {
    struct page page;
    const struct annotations *annotations;
    const struct annotated *file;
    struct grid grid;
    size_t digits; /* width of line numbers */
    size_t next;   /* index of the next line of the file */
    bool has_gap;  /* a separator is due for skipped lines */
};

static size_t digits_of(uint64_t number) {
    size_t digits = 1;
    while (number /= 10)
        digits++;
    return digits;
}

/* Writes text without control characters. Tabs advance to a multiple of eight columns. */
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

/* The sum of the line, if it is the next allocating line. */
static bool take_line(struct writing *writing, uint64_t number, struct report_site *sum) {
    *sum = (struct report_site){.sizes = NULL};
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

/* Writes lines that are not in the source; all lines if there is no source. */
static void put_remaining_lines(struct writing *writing) {
    struct report_site sum;
    while (writing->next < writing->file->count) {
        uint64_t number = number_at(writing, writing->next);
        take_line(writing, number, &sum);
        put_line(writing, number, &sum, "", 0);
    }
}

/* Number of the last line to show. */
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
    out_print(page->out, ": %s%s", SIZE_TEXT(writing->file->bytes),
              !text->bytes     ? "; the source was not found\n"
              : text->is_newer ? "; the source is newer than the run\n"
                               : "\n");
}

void annotated_write(struct out *out, const struct annotations *annotations, const struct annotated *file) {
    const struct report *report = annotations->report;
    struct writing writing = {
        .page = {.out = out, .report = report}, .annotations = annotations, .file = file, .has_gap = true};
    struct source_text text;
    writing.grid = (struct grid){.page = &writing.page, .cell = measure_cell};
    grid_number_columns(&writing.grid, report->is_unowned ? MEASURE_LIVE : MEASURE_SORTS);
    grid_measure(&writing.grid, NULL);
    for (size_t i = 0; i < file->count; i++)
        grid_measure(&writing.grid, &file->lines[i]->sum);
    source_text_open(&text, file->path, annotations->directory, report->run.begun);
    writing.digits = digits_of(last_shown(annotations, file, text));
    put_head(&writing, &text);
    grid_head(&writing.grid, "line");
    put_source(&writing, &text);
    put_remaining_lines(&writing);
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
    if (view->type && strcmp(view->type, "bytes") != 0) { /* bytes: the type is unknown */
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
