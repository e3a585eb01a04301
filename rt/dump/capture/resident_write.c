/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes what the resident memory of a process is, and which sites keep pages of the heap that are mostly
 * unused. */
#include "dump/capture/resident.h"
#include "names/names.h"
#include "write/summary.h"

#include <string.h>

static const struct graph_column columns[] = {
    {.name = "kept", .offset = offsetof(struct resident_site, kept), .is_bytes = true},
    {.name = "pages", .offset = offsetof(struct resident_site, pages)},
    {.name = "bytes", .offset = offsetof(struct resident_site, bytes), .is_bytes = true},
    {.name = "blocks", .offset = offsetof(struct resident_site, blocks)},
};

static const struct graph_column mapped_columns[] = {
    {.name = "resident", .offset = offsetof(struct resident_mapped, resident), .is_bytes = true},
    {.name = "bytes", .offset = offsetof(struct resident_mapped, bytes), .is_bytes = true},
    {.name = "mappings", .offset = offsetof(struct resident_mapped, mappings)},
};

enum {
    COLUMN_COUNT = sizeof columns / sizeof *columns,
    MAPPED_COLUMN_COUNT = sizeof mapped_columns / sizeof *mapped_columns
};

static void put_json_site(struct json *json, const struct graph *graph, uint32_t number) {
    const struct graph_site *site = &graph->sites[number];
    json_open_line(json, NULL, '{');
    json_text(json, "function", graph_text(graph, site->function));
    json_text(json, "file", graph_text(graph, site->file));
    json_number(json, "line", site->line);
}

static void put_json(struct out *out, const struct resident *resident, const struct graph *graph,
                     size_t shown) {
    struct json json = json_begin(out, "allocsite-resident", 1);
    json_number(&json, "resident_bytes", resident->total);
    json_resident(&json, "parts", resident->parts);
    json_open_line(&json, "rows", '[');
    for (size_t i = 0; i < shown; i++) {
        put_json_site(&json, graph, resident->sites[i].site);
        json_text(&json, "type", graph_text(graph, graph->sites[resident->sites[i].site].type));
        graph_json_columns(&json, &resident->sites[i], columns, COLUMN_COUNT);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_open_line(&json, "mappings", '[');
    for (size_t i = 0; i < resident->mapped_count; i++) {
        put_json_site(&json, graph, resident->mapped[i].site);
        graph_json_columns(&json, &resident->mapped[i], mapped_columns, MAPPED_COLUMN_COUNT);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static void put_parts(struct out *out, const struct resident *resident) {
    char text[UNITS_SIZE];
    units_size(text, resident->total);
    out_text(out, "resident: ");
    out_text(out, text);
    out_text(out, "\n");
    for (int i = 0; i < RESIDENT_PART_COUNT; i++) {
        if (!resident->parts[i])
            continue;
        units_size(text, resident->parts[i]);
        for (size_t width = strlen(text); width < 12; width++)
            out_char(out, ' ');
        out_text(out, text);
        out_text(out, "  ");
        out_text(out, resident_words[i]);
        out_char(out, '\n');
    }
}

static void put_site(const struct page *page, const void *graph, const void *row) {
    const uint32_t *site = row;
    graph_site_write(page->out, graph, &((const struct graph *)graph)->sites[*site]);
}

static void put_table(struct out *out, const struct graph *graph, const char *title,
                      const struct graph_column *of, size_t count, const void *rows, size_t shown,
                      size_t size) {
    const struct graph_table table = {.columns = of,
                                      .count = count,
                                      .numbers = count,
                                      .last = "site",
                                      .put_last = put_site,
                                      .context = graph};
    if (!shown)
        return;
    out_print(out, "\n%s:\n\n", title);
    graph_put_table(out, GRAPH_TEXT, &table, rows, shown, size, NULL);
}

void resident_write(struct out *out, const struct resident *resident, const struct graph *graph, size_t top,
                    enum graph_format format) {
    size_t sites = top && top < resident->site_count ? top : resident->site_count;
    size_t mapped = top && top < resident->mapped_count ? top : resident->mapped_count;
    if (format == GRAPH_JSON) {
        put_json(out, resident, graph, sites);
        return;
    }
    put_parts(out, resident);
    put_table(out, graph, "mappings of the program, by the sites that made them", mapped_columns,
              MAPPED_COLUMN_COUNT, resident->mapped, mapped, sizeof *resident->mapped);
    put_table(out, graph,
              "pages of the heap of which live blocks use at most half, by the sites that keep them", columns,
              COLUMN_COUNT, resident->sites, sites, sizeof *resident->sites);
}
