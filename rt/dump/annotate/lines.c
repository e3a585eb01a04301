/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which lines of which files allocate, and the text of these files. */
#include "base/sort.h"
#include "dump/annotate/annotate.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/view/rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Those of each file are together: there can be as many files as there are sites for a few. */
static size_t list_sites(struct annotations *annotations) {
    const struct report *report = annotations->report;
    size_t count = 0;
    annotations->sites = memory_zeros(report->counted, sizeof *annotations->sites);
    for (size_t i = 0; i < report->counted; i++) {
        const struct site_view *view = &report->sites[i]->view;
        if (!view->backing && view->at.line && view->at.file)
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

const struct report_site *annotated_site(const struct annotated *file, size_t index) {
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

/* Only regular files: a path comes from a file that may be hostile, and a pipe would wait for ever. */
static bool read_text(struct source_text *text, const char *path, uint64_t begun) {
    struct stat status;
    struct reason why;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        !whole_input(path, &text->bytes, &text->size, &why))
        return false;
    text->is_newer = begun && (uint64_t)status.st_mtim.tv_sec > begun / 1000000000;
    return true;
}

void source_text_open(struct source_text *text, const char *path, const char *directory, uint64_t begun) {
    *text = (struct source_text){.bytes = NULL};
    bool is_found = read_text(text, path, begun);
    for (const char *end = path; directory && end && !is_found;) {
        char *below = memory_text("%s/%s", directory, end + (*end == '/'));
        is_found = read_text(text, below, begun);
        free(below);
        end = strchr(end + 1, '/');
    }
}

void source_text_close(struct source_text *text) {
    free(text->bytes);
}

bool source_text_next(struct source_text *text, const char **line, size_t *length) {
    if (text->at >= text->size)
        return false;
    *line = text->bytes + text->at;
    const char *end = memchr(*line, '\n', text->size - text->at);
    *length = end ? (size_t)(end - *line) : text->size - text->at;
    text->at += *length + 1;
    return true;
}
