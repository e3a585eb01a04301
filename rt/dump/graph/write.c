/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tables of a graph by type, by site and by stack, and its objects and references line by line. */
#include "dump/graph/show.h"

#include "base/out.h"
#include "names/names.h"
#include "write/formats.h"
#include "write/lines.h"

#include <string.h>

struct page graph_page(struct out *out, enum graph_format format) {
    static const struct report nothing;
    return (struct page){.out = out, .report = &nothing, .is_markdown = format == GRAPH_MARKDOWN};
}

/* ---- Rows. */

enum { OBJECTS, OWN, RETAINED, DEEP, LOST, ROW_COLUMNS };

static uint64_t number_of(const struct graph_row *row, int column) {
    const uint64_t numbers[] = {row->objects, row->own, row->retained, row->deep, row->lost_bytes};
    return numbers[column];
}

static void row_cell(char text[GRID_CELL], const void *context, const void *row, int column) {
    static const char *const names[] = {"objects", "own", "retained", "deep", "lost"};
    (void)context;
    if (!row)
        strcpy(text, names[column]);
    else if (column == OBJECTS)
        units_count(text, number_of(row, column));
    else
        units_size(text, number_of(row, column));
}

static void put_name(const struct page *page, const struct graph *graph, const struct graph_row *row,
                     enum graph_by by) {
    page_type(page, row->name);
    if (by == GRAPH_BY_TYPE)
        return;
    out_text(page->out, "  ");
    graph_site_write(page->out, graph, &graph->sites[row->site]);
    if (!row->way)
        return;
    out_text(page->out, "  ");
    page_code(page, row->way);
}

/* The others stand in numbers, or in room for what is not known. */
static void put_unnamed(const struct page *page, const struct graph_words *words) {
    if (!words->unnamed || words->untyped == GRAPH_UNKNOWN)
        return;
    page_begin_line(page, "without a name: ", "\nWithout a name: ");
    page_count(page, words->untyped, " is in a block of no known type, ",
               " are in blocks of no known type, ");
    page_count(page, words->in_text, " is where a type has text", " are where types have text");
    page_end_line(page);
}

static void put_words(const struct page *page, const struct graph *graph) {
    const struct graph_words *words = &graph->head.words;
    page_begin_line(page, "edges: ", "\nEdges: ");
    page_count(page, words->named, " has the name of a field, ", " have the names of fields, ");
    page_count(page, words->unnamed, " does not", " do not");
    page_end_line(page);
    put_unnamed(page, words);
    page_begin_line(page, "of these: ", "\nOf these: ");
    page_count(page, words->interior, " points into a block, ", " point into a block, ");
    page_count(page, words->in_union, " is from a union", " are from a union");
    page_end_line(page);
    if (words->stale == GRAPH_UNKNOWN)
        return;
    page_begin_line(page, "besides: ", "\nBesides: ");
    page_count(page, words->past_end, " pointer to the end of a block, ",
               " pointers to the end of a block, ");
    page_count(page, words->stale, " pointer to where no block is", " pointers to where no block is");
    page_end_line(page);
}

static void put_head(const struct page *page, const struct graph *graph, const struct graph_sums *sums) {
    page_begin_line(page, "allocsite graph: ", "**allocsite graph** ");
    page_code(page, graph_text(graph, graph->head.program));
    out_text(page->out, ", pid ");
    out_u64(page->out, graph->head.pid);
    page_end_line(page);
    page_begin_line(page, "live: ", "\nLive: ");
    page_count(page, sums->total.objects, " object of ", " objects of ");
    page_size(page, sums->total.own);
    out_text(page->out, ", of a known type: ");
    page_share(page, sums->typed, sums->total.own);
    if (sums->ambiguous) {
        out_text(page->out, ", of one of several: ");
        page_share(page, sums->ambiguous, sums->total.own);
    }
    out_text(page->out, ", lost: ");
    page_size(page, sums->total.lost_bytes);
    page_end_line(page);
    put_words(page, graph);
    page_begin_line(page, "", "\n");
}

static void put_rows(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                     enum graph_by by, enum graph_format format) {
    static const char *const heads[] = {"type", "type and site", "type, site and stack"};
    struct page page = graph_page(out, format);
    struct graph_row total = sums->total;
    struct grid grid = {.page = &page, .cell = row_cell};
    total.retained = total.deep = total.own;
    grid_number_columns(&grid, ROW_COLUMNS);
    grid_measure(&grid, NULL);
    for (size_t i = 0; i < shown; i++)
        grid_measure(&grid, &sums->rows[i]);
    grid_measure(&grid, &total);
    put_head(&page, graph, sums);
    grid_head(&grid, heads[by]);
    for (size_t i = 0; i < shown; i++) {
        grid_row(&grid, &sums->rows[i]);
        put_name(&page, graph, &sums->rows[i], by);
        grid_end(&page);
    }
    grid_row(&grid, &total);
    out_text(out, "total");
    grid_end(&page);
}

static void json_graph_site(struct json *json, const struct graph *graph, const struct graph_site *site) {
    json_id(json, "id", site->id);
    json_text(json, "function", graph_text(graph, site->function));
    json_text(json, "file", graph_text(graph, site->file));
    json_number(json, "line", site->line);
    json_text(json, "module", graph_text(graph, site->module));
}

static void json_row(struct json *json, const struct graph_row *row) {
    json_number(json, "objects", row->objects);
    json_number(json, "own", row->own);
    json_number(json, "retained", row->retained);
    json_number(json, "deep", row->deep);
    json_number(json, "lost_objects", row->lost);
    json_number(json, "lost", row->lost_bytes);
}

static void json_rows(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                      enum graph_by by) {
    struct json json = json_begin(out, "allocsite-graph", 1);
    json_text(&json, "program", graph_text(graph, graph->head.program));
    json_number(&json, "pid", graph->head.pid);
    json_number(&json, "stopped_ns", graph->head.stopped);
    json_number(&json, "objects", sums->total.objects);
    json_number(&json, "bytes", sums->total.own);
    json_number(&json, "typed_bytes", sums->typed);
    json_number(&json, "lost_objects", sums->total.lost);
    json_number(&json, "lost_bytes", sums->total.lost_bytes);
    json_open(&json, "words", '{');
#define JSON_WORDS(name)                                                                                     \
    if (graph->head.words.name != GRAPH_UNKNOWN)                                                             \
        json_number(&json, #name, graph->head.words.name);
    GRAPH_WORDS(JSON_WORDS)
    GRAPH_MORE_WORDS(JSON_WORDS)
    json_close(&json, '}');
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < shown; i++) {
        json_open_line(&json, NULL, '{');
        json_text(&json, "type", sums->rows[i].name);
        if (by != GRAPH_BY_TYPE)
            json_graph_site(&json, graph, &graph->sites[sums->rows[i].site]);
        if (by == GRAPH_BY_STACK)
            json_text(&json, "stack", sums->rows[i].way);
        json_row(&json, &sums->rows[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

void graph_put_number(struct out *out, uint64_t number) {
    out_u64(out, number);
    out_char(out, '\t');
}

static void put_way(struct out *out, const char *way) {
    out_char(out, '\t');
    out_plain(out, way ?: "");
}

static void tsv_rows(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                     enum graph_by by) {
    out_u64(out, shown);
    out_char(out, '\n');
    for (size_t i = 0; i < shown; i++) {
        for (int column = 0; column < ROW_COLUMNS; column++)
            graph_put_number(out, number_of(&sums->rows[i], column));
        out_plain(out, sums->rows[i].name);
        if (by != GRAPH_BY_TYPE) {
            out_char(out, '\t');
            graph_site_write(out, graph, &graph->sites[sums->rows[i].site]);
        }
        if (by == GRAPH_BY_STACK)
            put_way(out, sums->rows[i].way);
        out_char(out, '\n');
    }
}

void graph_show_sums(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                     enum graph_by by, enum graph_format format) {
    if (format == GRAPH_JSON)
        json_rows(out, graph, sums, shown, by);
    else if (format == GRAPH_TSV)
        tsv_rows(out, graph, sums, shown, by);
    else if (format == GRAPH_CSV)
        graph_csv_sums(out, graph, sums, shown, by);
    else
        put_rows(out, graph, sums, shown, by, format);
}

static void put_values(struct out *out, const struct graph_sums *sums, int column) {
    out_u64(out, sums->count);
    out_char(out, '\n');
    for (size_t i = 0; i < sums->count; i++) {
        graph_put_number(out, number_of(&sums->rows[i], column));
        out_plain(out, sums->rows[i].name);
        out_char(out, '\n');
    }
}

void graph_show_counts(struct out *out, const struct graph_sums *sums) {
    put_values(out, sums, OBJECTS);
}

void graph_show_sizes(struct out *out, const struct graph_sums *sums) {
    put_values(out, sums, DEEP);
}

static void put_address(struct out *out, uint64_t address) {
    out_text(out, "0x");
    out_hex(out, address);
}

void graph_put_content(struct out *out, const struct graph *graph, size_t block) {
    const char *content = graph_content_of(graph, block);
    if (!content)
        return;
    out_text(out, ", \"");
    out_plain(out, content);
    out_char(out, '"');
}

static void dump_content(struct out *out, const struct graph *graph, size_t block) {
    if (!graph->content_count)
        return;
    out_char(out, '\t');
    out_plain(out, graph_content_of(graph, block) ?: "");
}

void graph_show_dump(struct out *out, const struct graph *graph, bool has_stacks) {
    for (size_t i = 0; i < graph->block_count; i++) {
        const struct graph_site *site = graph_site_of(graph, i);
        if (site->is_uncounted)
            continue;
        put_address(out, graph->blocks[i].address);
        out_char(out, '\t');
        graph_put_number(out, graph->blocks[i].size);
        out_plain(out, graph_type_name(graph, i));
        out_char(out, '\t');
        graph_site_write(out, graph, site);
        if (has_stacks)
            put_way(out, graph_way_of(graph, i));
        dump_content(out, graph, i);
        out_char(out, '\n');
    }
}

void graph_edge_write(struct out *out, const struct graph *graph, const struct graph_edge *edge) {
    const char *field = graph_text(graph, edge->label);
    if (field) {
        out_plain(out, field);
        return;
    }
    out_char(out, '+');
    out_u64(out, edge->offset);
}

static void put_edges(struct out *out, const struct graph *graph, size_t block) {
    for (uint32_t i = graph->blocks[block].edges; i < graph->blocks[block + 1].edges; i++) {
        put_address(out, graph->blocks[block].address);
        out_char(out, '\t');
        graph_edge_write(out, graph, &graph->edges[i]);
        out_char(out, '\t');
        put_address(out, graph->blocks[graph->edges[i].to].address);
        out_char(out, '\n');
    }
}

void graph_show_edges(struct out *out, const struct graph *graph) {
    char name[600];
    for (size_t i = 0; i < graph->root_count; i++) {
        graph_root_name(name, sizeof name, graph, &graph->roots[i]);
        out_plain(out, name);
        out_text(out, "\t\t");
        put_address(out, graph->blocks[graph->roots[i].to].address);
        out_char(out, '\n');
    }
    for (size_t i = 0; i < graph->block_count; i++)
        put_edges(out, graph, i);
}

/* ---- Tables with commas. */

static void put_numbers(struct out *out, const uint64_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out_u64(out, numbers[i]);
        out_char(out, ',');
    }
}

static void put_site(struct out *out, const struct graph *graph, const struct graph_site *site) {
    char text[4096];
    struct out memory;
    out_open_memory(&memory, text, sizeof text);
    graph_site_write(&memory, graph, site);
    out_char(out, ',');
    csv_text(out, text);
}

void graph_csv_sums(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                    enum graph_by by) {
    out_text(out, "objects,own,retained,deep,lost,type");
    out_text(out, by == GRAPH_BY_TYPE ? "\n" : by == GRAPH_BY_SITE ? ",site\n" : ",site,stack\n");
    for (size_t i = 0; i < shown; i++) {
        const struct graph_row *row = &sums->rows[i];
        const uint64_t numbers[] = {row->objects, row->own, row->retained, row->deep, row->lost_bytes};
        put_numbers(out, numbers, sizeof numbers / sizeof *numbers);
        csv_text(out, row->name);
        if (by != GRAPH_BY_TYPE)
            put_site(out, graph, &graph->sites[row->site]);
        if (by == GRAPH_BY_STACK) {
            out_char(out, ',');
            csv_text(out, row->way);
        }
        out_char(out, '\n');
    }
}

void graph_csv_holders(struct out *out, const struct graph_holders *holders, size_t shown) {
    out_text(out, "references,objects,bytes,from,field\n");
    for (size_t i = 0; i < shown; i++) {
        const struct graph_holder *holder = &holders->list[i];
        put_numbers(out, (const uint64_t[]){holder->references, holder->objects, holder->bytes}, 3);
        csv_text(out, holder->from);
        out_char(out, ',');
        csv_text(out, holder->field);
        out_char(out, '\n');
    }
}
