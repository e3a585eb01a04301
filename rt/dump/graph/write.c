/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes tables of a graph by type, site and stack, and its objects and references line by line. */
#include "dump/graph/show.h"

#include "base/out.h"
#include "names/names.h"
#include "write/lines.h"
#include "write/shown_names.h"

#include <string.h>

static struct shown_names names;

void graph_names(const struct graph *graph) {
    for (size_t i = 0; i < graph->site_count; i++)
        shown_names_add(&names, NAME_TYPE, graph_text(graph, graph->sites[i].type));
}

struct page graph_page(struct out *out, enum graph_format format) {
    static const struct report only_names = {.names = &names};
    return (struct page){.out = out, .report = &only_names, .is_markdown = format == GRAPH_MARKDOWN};
}

/* ---- Tables. */

static uint64_t number_of(const void *row, const struct graph_column *column) {
    return *(const uint64_t *)((const char *)row + column->offset);
}

static const char *text_of(const void *row, const struct graph_column *column) {
    return *(const char *const *)((const char *)row + column->offset);
}

static void format_cell(char text[GRID_CELL], const void *context, const void *row, int index) {
    const struct graph_column *column = &((const struct graph_table *)context)->columns[index];
    if (!row) {
        strcpy(text, column->name);
        return;
    }
    uint64_t number = number_of(row, column);
    bool is_less = column->is_change && number >> 63;
    if (column->is_change)
        *text++ = is_less ? '-' : '+';
    (column->is_bytes ? units_size : units_count)(text, is_less ? -number : number);
}

static void put_number(struct out *out, const void *row, const struct graph_column *column) {
    uint64_t number = number_of(row, column);
    bool is_less = column->is_change && number >> 63;
    out_print(out, "%s%lu", is_less ? "-" : "", is_less ? -number : number);
}

static void put_row(const struct page *page, const struct grid *grid, const struct graph_table *table,
                    const void *row) {
    grid_row(grid, row);
    table->put_last(page, table->context, row);
    grid_end(page);
}

static void put_grid(const struct page *page, const struct graph_table *table, const char *rows, size_t count,
                     size_t size, const void *total) {
    struct grid grid = {.page = page, .cell = format_cell, .context = table};
    grid_number_columns(&grid, table->numbers);
    grid_measure(&grid, NULL);
    for (size_t i = 0; i < count; i++)
        grid_measure(&grid, rows + i * size);
    if (total)
        grid_measure(&grid, total);
    grid_head(&grid, table->last);
    for (size_t i = 0; i < count; i++)
        put_row(page, &grid, table, rows + i * size);
    if (!total)
        return;
    grid_row(&grid, total);
    out_text(page->out, "total");
    grid_end(page);
}

static void put_names(struct out *out, const struct graph_table *table) {
    for (size_t i = 0; i < table->count; i++)
        out_print(out, "%s%s", i ? "," : "", table->columns[i].name);
    out_char(out, '\n');
}

static void put_values(struct out *out, bool is_csv, const struct graph_table *table, const char *rows,
                       size_t count, size_t size) {
    struct values values = is_csv ? (struct values){.out = out, .end = "\n"} : values_tsv(out, count);
    if (is_csv)
        put_names(out, table);
    for (size_t i = 0; i < count; i++, rows += size) {
        for (const struct graph_column *column = table->columns; column < table->columns + table->count;
             column++)
            if (column->is_text)
                value_text(&values, text_of(rows, column));
            else {
                value_begin(&values);
                put_number(out, rows, column);
            }
        values_end(&values);
    }
}

void graph_put_table(struct out *out, enum graph_format format, const struct graph_table *table,
                     const void *rows, size_t count, size_t size, const void *total) {
    const struct page page = graph_page(out, format);
    if (format == GRAPH_TSV || format == GRAPH_CSV)
        put_values(out, format == GRAPH_CSV, table, rows, count, size);
    else
        put_grid(&page, table, rows, count, size, total);
}

void graph_json_columns(struct json *json, const void *row, const struct graph_column *columns,
                        size_t count) {
    for (size_t i = 0; i < count; i++)
        if (columns[i].is_text)
            json_text(json, columns[i].name, text_of(row, &columns[i]));
        else {
            json_key(json, columns[i].name);
            put_number(json->out, row, &columns[i]);
        }
}

/* ---- Rows. */

enum { OBJECTS, DEEP = 3, LEAKED, NUMBERS, TYPE = NUMBERS, SITE, STACK, ROW_COLUMNS };

static const struct graph_column columns[ROW_COLUMNS] = {
    {.name = "objects", .offset = offsetof(struct graph_row, objects)},
    {.name = "self", .offset = offsetof(struct graph_row, self), .is_bytes = true},
    {.name = "retained", .offset = offsetof(struct graph_row, retained), .is_bytes = true},
    {.name = "deep", .offset = offsetof(struct graph_row, deep), .is_bytes = true},
    {.name = "leaked", .offset = offsetof(struct graph_row, leaked_bytes), .is_bytes = true},
    {.name = "type", .offset = offsetof(struct graph_row, name), .is_text = true},
    {.name = "site", .offset = offsetof(struct graph_row, place), .is_text = true},
    {.name = "stack", .offset = offsetof(struct graph_row, way), .is_text = true},
};

struct rows {
    const struct graph *graph;
    enum graph_by by;
};

static void put_name(const struct page *page, const void *context, const void *of) {
    const struct rows *rows = context;
    const struct graph_row *row = of;
    page_type(page, row->name);
    if (rows->by == GRAPH_BY_TYPE)
        return;
    out_text(page->out, "  ");
    page_code(page, row->place);
    if (!row->way)
        return;
    out_text(page->out, "  ");
    page_code(page, row->way);
}

/* A pointer without a field's name is in a block of unknown type, in a member that is a
 * number, or in memory of unknown content. */
static void put_unnamed(const struct page *page, const struct graph_words *words) {
    if (!words->unnamed)
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
    page_begin_line(page, "besides: ", "\nBesides: ");
    page_count(page, words->past_end, " pointer to the end of a block, ",
               " pointers to the end of a block, ");
    page_count(page, words->stale, " pointer to where no block is", " pointers to where no block is");
    page_end_line(page);
}

static void put_head(const struct page *page, const struct graph *graph, const struct graph_sums *sums) {
    page_begin_line(page, "allocsite graph: ", "**allocsite graph** ");
    page_code(page, graph_text(graph, graph->head.program));
    out_print(page->out, ", pid %lu", graph->head.pid);
    page_end_line(page);
    page_begin_line(page, "live: ", "\nLive: ");
    out_print(page->out, "%s%s%s, of a known type: %s", COUNT_TEXT(sums->total.objects),
              sums->total.objects == 1 ? " object of " : " objects of ", SIZE_TEXT(sums->total.self),
              SHARE_TEXT(sums->typed, sums->total.self));
    if (sums->ambiguous)
        out_print(page->out, ", of one of several: %s", SHARE_TEXT(sums->ambiguous, sums->total.self));
    out_print(page->out, ", leaked: %s", SIZE_TEXT(sums->total.leaked_bytes));
    page_end_line(page);
    put_words(page, graph);
    page_begin_line(page, "", "\n");
}

static void put_rows(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                     enum graph_by by, enum graph_format format) {
    static const char *const heads[] = {"type", "type and site", "type, site and stack"};
    const struct page page = graph_page(out, format);
    const struct graph_table table = {columns,  NUMBERS + 1 + (size_t)by, NUMBERS, heads[by],
                                      put_name, &(struct rows){graph, by}};
    struct graph_row total = sums->total;
    total.retained = total.deep = total.self;
    if (format == GRAPH_TEXT || format == GRAPH_MARKDOWN)
        put_head(&page, graph, sums);
    graph_put_table(out, format, &table, sums->rows, shown, sizeof *sums->rows, &total);
}

static void json_graph_site(struct json *json, const struct graph *graph, const struct graph_site *site) {
    json_id(json, "id", site->id);
    json_text(json, "function", graph_text(graph, site->function));
    json_text(json, "file", graph_text(graph, site->file));
    json_number(json, "line", site->line);
    json_text(json, "module", graph_text(graph, site->module));
}

static void json_row(struct json *json, const struct graph_row *row) {
    graph_json_columns(json, row, columns, LEAKED);
    json_number(json, "leaked_objects", row->leaked);
    graph_json_columns(json, row, &columns[LEAKED], 1);
}

static void json_rows(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                      enum graph_by by) {
    struct json json = json_begin(out, "allocsite-graph", 1);
    json_text(&json, "program", graph_text(graph, graph->head.program));
    json_number(&json, "pid", graph->head.pid);
    json_number(&json, "stopped_ns", graph->head.stopped);
    json_number(&json, "objects", sums->total.objects);
    json_number(&json, "bytes", sums->total.self);
    json_number(&json, "typed_bytes", sums->typed);
    json_number(&json, "leaked_objects", sums->total.leaked);
    json_number(&json, "leaked_bytes", sums->total.leaked_bytes);
    json_open(&json, "words", '{');
#define JSON_WORDS(name) json_number(&json, #name, graph->head.words.name);
    GRAPH_WORDS(JSON_WORDS)
    json_close(&json, '}');
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < shown; i++) {
        json_open_line(&json, NULL, '{');
        graph_json_columns(&json, &sums->rows[i], &columns[TYPE], 1);
        if (by != GRAPH_BY_TYPE)
            json_graph_site(&json, graph, &graph->sites[sums->rows[i].site]);
        if (by == GRAPH_BY_STACK)
            graph_json_columns(&json, &sums->rows[i], &columns[STACK], 1);
        json_row(&json, &sums->rows[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end(&json);
}

static void value_place(struct values *values, const struct graph *graph, const struct graph_site *site) {
    char text[4096];
    struct out memory;
    out_open_memory(&memory, text, sizeof text);
    graph_site_write(&memory, graph, site);
    value_text(values, text);
}

void graph_show_sums(struct out *out, const struct graph *graph, const struct graph_sums *sums, size_t shown,
                     enum graph_by by, enum graph_format format) {
    if (format == GRAPH_JSON)
        json_rows(out, graph, sums, shown, by);
    else
        put_rows(out, graph, sums, shown, by, format);
}

/* Writes one number of each row, and the type. */
static void put_one(struct out *out, const struct graph_sums *sums, int column) {
    const struct graph_column two[] = {columns[column], columns[TYPE]};
    graph_put_table(out, GRAPH_TSV, &(struct graph_table){.columns = two, .count = 2}, sums->rows,
                    sums->count, sizeof *sums->rows, NULL);
}

void graph_show_counts(struct out *out, const struct graph_sums *sums) {
    put_one(out, sums, OBJECTS);
}

void graph_show_sizes(struct out *out, const struct graph_sums *sums) {
    put_one(out, sums, DEEP);
}

static void value_address(struct values *values, uint64_t address) {
    value_begin(values);
    out_print(values->out, "0x%lx", address);
}

void graph_put_content(struct out *out, const struct graph *graph, size_t block) {
    const char *content = graph_content_of(graph, block);
    if (!content)
        return;
    out_text(out, ", \"");
    out_plain(out, content);
    out_char(out, '"');
}

void graph_show_dump(struct out *out, const struct graph *graph, bool has_stacks) {
    struct values values = {.out = out};
    for (size_t i = 0; i < graph->block_count; i++) {
        const struct graph_site *site = graph_site_of(graph, i);
        if (site->is_uncounted)
            continue;
        value_address(&values, graph->blocks[i].address);
        value_number(&values, graph->blocks[i].size);
        value_text(&values, graph_type_name(graph, i));
        value_place(&values, graph, site);
        if (has_stacks)
            value_text(&values, graph_way_of(graph, i));
        if (graph->content_count)
            value_text(&values, graph_content_of(graph, i));
        values_end(&values);
    }
}

void graph_edge_write(struct out *out, const struct graph *graph, const struct graph_edge *edge) {
    const char *field = graph_text(graph, edge->label);
    if (field) {
        out_plain(out, field);
        return;
    }
    out_print(out, "+%u", edge->offset);
}

static void value_field(struct values *values, const struct graph *graph, const struct graph_edge *edge) {
    if (edge->label != GRAPH_NONE) {
        value_text(values, graph_text(graph, edge->label));
        return;
    }
    value_begin(values);
    graph_edge_write(values->out, graph, edge);
}

static void put_edges(struct values *values, const struct graph *graph, size_t block) {
    for (uint32_t i = graph->blocks[block].edges; i < graph->blocks[block + 1].edges; i++) {
        value_address(values, graph->blocks[block].address);
        value_field(values, graph, &graph->edges[i]);
        value_address(values, graph->blocks[graph->edges[i].to].address);
        values_end(values);
    }
}

void graph_show_edges(struct out *out, const struct graph *graph) {
    struct values values = {.out = out};
    char name[600];
    for (size_t i = 0; i < graph->root_count; i++) {
        graph_root_name(name, sizeof name, graph, &graph->roots[i]);
        value_text(&values, name);
        value_text(&values, NULL);
        value_address(&values, graph->blocks[graph->roots[i].to].address);
        values_end(&values);
    }
    for (size_t i = 0; i < graph->block_count; i++)
        put_edges(&values, graph, i);
}
