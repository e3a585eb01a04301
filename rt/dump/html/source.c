/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines around sites. */
#include "dump/html/pack.h"

#include "base/sort.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Lines before and behind each site, and what is shown of a long one. */
enum { AROUND = 4, LONGEST = 300 };

/* Larger files are no source that anybody reads. */
#define LARGEST ((size_t)16 << 20)

/* By file, then by line. */
static int compare(const void *a, const void *b, void *context) {
    const struct place *one = *(const struct place *const *)a, *other = *(const struct place *const *)b;
    (void)context;
    return strcmp(one->file, other->file) ?: compare_u64(one->line, other->line);
}

/* A copy of the line: texts of the page are strings. */
static void put_line(struct json *json, uint64_t number, const char *line, size_t length) {
    char text[LONGEST + 1];
    size_t kept = length < LONGEST ? length : LONGEST;
    memcpy(text, line, kept);
    text[kept] = '\0';
    json_number(json, NULL, number);
    pack_string(json, NULL, text);
}

/* Of a file, the lines that are near one of the places, each behind its number. */
static void put_lines(struct json *json, const char *text, size_t size, const struct place **places,
                      size_t count) {
    const char *end = text + size;
    size_t next = 0;
    for (uint64_t number = 1; text < end && next < count; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text)) ?: end;
        while (next < count && places[next]->line + AROUND < number)
            next++;
        if (next < count && number + AROUND >= places[next]->line)
            put_line(json, number, text, (size_t)(newline - text));
        text = newline + 1;
    }
}

static void put_file(struct json *json, struct pack_tables *tables, const struct place **places,
                     size_t count) {
    struct file_map map;
    struct reason why;
    if (!file_map(&map, places[0]->file, &why))
        return;
    if (map.size <= LARGEST) {
        json_open(json, NULL, '[');
        json_number(json, NULL, pack_text(tables, places[0]->file));
        put_lines(json, map.bytes, map.size, places, count);
        json_close(json, ']');
    }
    file_unmap(&map, &why);
}

static size_t collect(const struct place **places, const struct report *report) {
    size_t count = 0;
    for (size_t i = 0; i < report->shown; i++) {
        const struct place *at = &report->sites[i]->view.at;
        if (at->file && at->line)
            places[count++] = at;
    }
    qsort_r(places, count, sizeof *places, compare, NULL);
    return count;
}

/* Files are looked for by the paths that the report has. */
void pack_source(struct json *json, struct pack_tables *tables, const struct report *report) {
    const struct place **places = memory_zeros(report->shown, sizeof *places);
    size_t count = collect(places, report);
    json_line(json);
    json_open(json, "source", '[');
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from; end < count && strcmp(places[end]->file, places[from]->file) == 0;)
            end++;
        put_file(json, tables, places + from, end - from);
    }
    json_close(json, ']');
    free(places);
}
