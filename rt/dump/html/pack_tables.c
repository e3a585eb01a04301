/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stores strings, frames and nodes once each, and writes sites and stacks as columns. */
#include "dump/html/html.h"

#include "dump/base/memory.h"
#include "dump/line/attribute.h"
#include "dump/line/pass_through.h"
#include "names/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_text(const void *key, const void *context, size_t element) {
    return strcmp(((const struct pack_tables *)context)->texts[element], *(const char *const *)key) == 0;
}

size_t pack_text(struct pack_tables *tables, const char *text) {
    if (!text)
        return 0;
    struct elements texts = {&tables->texts, &tables->text_count, &tables->text_capacity, sizeof text};
    return hash_keep(&tables->text_index, hash_text(0, text), is_text, &text, tables, texts) + 1;
}

typedef void shorten(char *text, size_t size, const char *name);

static size_t keep_name(struct pack_tables *tables, const char *name, shorten *shorten) {
    size_t number = pack_text(tables, name), size = name ? name_whole_size(name) : 0;
    if (!number || (number <= tables->short_count && tables->shorts[number - 1]))
        return number;
    char *text = memory_zeros(size, 1);
    shorten(text, size, name);
    size_t shortened = pack_text(tables, string_keep(&tables->names, text));
    free(text);
    for (; tables->short_count < tables->text_count; tables->short_count++) {
        memory_grow(&tables->shorts, tables->short_count, &tables->short_capacity, sizeof *tables->shorts);
        tables->shorts[tables->short_count] = 0;
    }
    tables->shorts[number - 1] = shortened;
    return number;
}

/* Like pack_text for a name, whose short form (names.h) is stored as well. */
static size_t pack_function(struct pack_tables *tables, const char *function) {
    return keep_name(tables, function, name_function_whole);
}

static size_t pack_type(struct pack_tables *tables, const char *type) {
    return keep_name(tables, type, name_type_whole);
}

/* Frames and nodes have no padding, so they are compared as bytes. */
static bool is_frame(const void *key, const void *context, size_t element) {
    return memcmp(&((const struct pack_tables *)context)->frames[element], key, sizeof(struct pack_frame)) ==
           0;
}

static bool is_node(const void *key, const void *context, size_t element) {
    return memcmp(&((const struct pack_tables *)context)->nodes[element], key, sizeof(struct pack_node)) == 0;
}

static void add_role(struct pack_tables *tables, const struct path_place *place) {
    const struct symbolizer *symbolizer = tables->symbolizer;
    const struct pass_through *passing = symbolizer->passing;
    char *called = attribute_callee(place->function);
    struct pack_role role = {.called = pack_text(tables, string_keep(&tables->names, called))};
    free(called);
    const struct site_view view = {.module = place->module, .build_id = place->build_id};
    const struct place at = {.function = place->function, .file = place->file, .line = place->line};
    role.start = symbolizer_start(symbolizer, &view, &at);
    if (passing)
        role.flags = pass_through_flags(passing, &symbolizer->line, place) |
                     (pass_through_is_compiled(passing, place) ? FRAME_COMPILED : 0);
    memory_grow(&tables->roles, tables->frame_count - 1, &tables->role_capacity, sizeof role);
    tables->roles[tables->frame_count - 1] = role;
}

static size_t frame_of(struct pack_tables *tables, const struct path_place *place) {
    struct pack_frame frame = {.function = pack_function(tables, place->function),
                               .callee = pack_text(tables, place->callee),
                               .is_inlined = place->is_inlined,
                               .file = pack_text(tables, place->file),
                               .module = pack_text(tables, place->module),
                               .line = place->line,
                               .column = place->column,
                               .address = place->address};
    struct elements frames = {&tables->frames, &tables->frame_count, &tables->frame_capacity, sizeof frame};
    uint64_t hash = hash_bytes(0, &frame, sizeof frame);
    size_t before = tables->frame_count,
           number = hash_keep(&tables->frame_index, hash, is_frame, &frame, tables, frames);
    if (number == before)
        add_role(tables, place);
    return number;
}

static size_t child_of(struct pack_tables *tables, size_t parent, size_t frame) {
    struct pack_node node = {.parent = parent, .frame = frame};
    struct elements nodes = {&tables->nodes, &tables->node_count, &tables->node_capacity, sizeof node};
    uint64_t hash = hash_bytes(0, &node, sizeof node);
    return hash_keep(&tables->node_index, hash, is_node, &node, tables, nodes) + 1;
}

size_t pack_path(struct pack_tables *tables, const struct call_path *path) {
    size_t node = 0;
    for (size_t i = path->count; i-- > 0;)
        node = child_of(tables, node, frame_of(tables, &path->places[i]));
    return node;
}

/* A JSON array of numbers. */
#define PUT_COLUMN(json, key, count, value)                                                                  \
    do {                                                                                                     \
        json_open(json, key, '[');                                                                           \
        for (size_t i = 0; i < (count); i++)                                                                 \
            json_number(json, NULL, value);                                                                  \
        json_close(json, ']');                                                                               \
    } while (0)

static void put_frames(struct json *json, const struct pack_tables *tables) {
    json_open(json, "frames", '{');
    PUT_COLUMN(json, "function", tables->frame_count, tables->frames[i].function);
    PUT_COLUMN(json, "file", tables->frame_count, tables->frames[i].file);
    PUT_COLUMN(json, "line", tables->frame_count, tables->frames[i].line);
    PUT_COLUMN(json, "column", tables->frame_count, tables->frames[i].column);
    PUT_COLUMN(json, "module", tables->frame_count, tables->frames[i].module);
    PUT_COLUMN(json, "callee", tables->frame_count, tables->frames[i].callee);
    PUT_COLUMN(json, "called", tables->frame_count, tables->roles[i].called);
    PUT_COLUMN(json, "inlined", tables->frame_count, tables->frames[i].is_inlined);
    PUT_COLUMN(json, "start", tables->frame_count, tables->roles[i].start);
    PUT_COLUMN(json, "flags", tables->frame_count, tables->roles[i].flags);
    json_open(json, "address", '[');
    for (size_t i = 0; i < tables->frame_count; i++)
        if (tables->frames[i].address)
            json_address(json, NULL, tables->frames[i].address);
        else
            json_number(json, NULL, 0);
    json_close(json, ']');
    json_close(json, '}');
}

void pack_tables_write(struct json *json, const struct pack_tables *tables) {
    json_line(json);
    put_frames(json, tables);
    json_open(json, "nodes", '{');
    json_open(json, "parent", '[');
    json_number(json, NULL, 0);
    for (size_t i = 0; i < tables->node_count; i++)
        json_number(json, NULL, tables->nodes[i].parent);
    json_close(json, ']');
    json_open(json, "frame", '[');
    json_number(json, NULL, 0);
    for (size_t i = 0; i < tables->node_count; i++)
        json_number(json, NULL, tables->nodes[i].frame);
    json_close(json, ']');
    json_close(json, '}');
    json_open_line(json, "strings", '[');
    json_text(json, NULL, NULL);
    for (size_t i = 0; i < tables->text_count; i++)
        pack_string(json, NULL, tables->texts[i]);
    json_close(json, ']');
    json_open_line(json, "short", '[');
    json_number(json, NULL, 0);
    for (size_t i = 0; i < tables->short_count; i++)
        json_number(json, NULL, tables->shorts[i]);
    json_close(json, ']');
}

void pack_tables_free(struct pack_tables *tables) {
    hash_free(&tables->text_index);
    hash_free(&tables->frame_index);
    hash_free(&tables->node_index);
    free(tables->texts);
    free(tables->shorts);
    free(tables->frames);
    free(tables->roles);
    string_pool_free(&tables->names);
    free(tables->nodes);
}

/* ---- The counters of sites over the points of a recording, as changes from point to point. */

/* Maximum numbers of points shown, and of numbers that a browser has to read. */
enum { POINTS = 240, NUMBERS_MOST = 1 << 22 };

/* In the order of the page's metrics. */
enum { TIMED_BYTES, TIMED_CALLS, TIMED_LIVE, TIMED_PEAK, TIMED_CHURN, TIMED };

struct timed {
    struct json *json;
    const struct moment *moment;
    const size_t *numbers, *points;
    size_t point_count;
    uint64_t (*before)[TIMED], *resident;
};

static void values_of(uint64_t values[TIMED], const struct recorded_counters *recorded) {
    struct counters counters = counters_recorded(recorded);
    values[TIMED_BYTES] = counters_bytes(&counters);
    values[TIMED_CALLS] = counters_calls(&counters);
    values[TIMED_LIVE] = counters.live_bytes;
    values[TIMED_PEAK] = counters.peak_bytes;
    values[TIMED_CHURN] = counters.freed_bytes + counters.moved_bytes;
}

static void put_difference(struct json *json, uint64_t difference) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, (int64_t)difference);
    json_key(json, NULL);
    out_text(json->out, text);
    json->follows = true;
}

static void put_site(struct timed *timed, size_t site, const struct recorded_counters *recorded) {
    uint64_t now[TIMED], *before = timed->before[site];
    values_of(now, recorded);
    if (timed->numbers[site] == SIZE_MAX || memcmp(now, before, sizeof now) == 0)
        return;
    json_number(timed->json, NULL, timed->numbers[site]);
    for (int i = 0; i < TIMED; i++)
        put_difference(timed->json, now[i] - before[i]);
    memcpy(before, now, sizeof now);
}

static void put_point(void *context, const struct recording *from, size_t point, bool is_at) {
    struct timed *timed = context;
    if (!is_at)
        return;
    timed->resident[point] = from->numbers[SAMPLE_RESIDENT];
    json_open_line(timed->json, NULL, '[');
    for (size_t i = RECORDED_SITES; i < from->site_count; i++)
        put_site(timed, i - RECORDED_SITES, &from->sites[i].now);
    json_close(timed->json, ']');
}

static void put_remaining_times(struct timed *timed) {
    json_open(timed->json, "ms", '[');
    for (size_t i = 0; i < timed->point_count; i++)
        json_number(timed->json, NULL, timed->moment->times[timed->points[i]] / 1000000);
    json_close(timed->json, ']');
    json_open(timed->json, "resident", '[');
    for (size_t i = 0; i < timed->point_count; i++)
        json_number(timed->json, NULL, timed->resident[i]);
    json_close(timed->json, ']');
    json_number(timed->json, "thinned", timed->moment->report.sampled.thinned);
}

void pack_time(struct json *json, const struct moment *moment, const size_t *numbers) {
    size_t sites = moment->recording.site_count, fit = NUMBERS_MOST / (sites + 1) / TIMED, count;
    size_t *points = moment_points(moment, fit < 2 ? 2 : fit < POINTS ? fit : POINTS, &count);
    struct timed timed = {.json = json,
                          .moment = moment,
                          .numbers = numbers,
                          .points = points,
                          .point_count = count,
                          .before = memory_zeros(sites, sizeof *timed.before),
                          .resident = memory_zeros(count, sizeof *timed.resident)};
    json_open_line(json, "time", '{');
    json_open(json, "rows", '[');
    moment_walk(moment, points, count, put_point, &timed);
    json_close(json, ']');
    put_remaining_times(&timed);
    json_close(json, '}');
    free(timed.before);
    free(timed.resident);
    free(points);
}

/* ---- Sites and stacks as columns. */

typedef uint64_t number_of(struct pack *, size_t row);

static uint64_t site_module(struct pack *pack, size_t row) {
    return pack_text(&pack->tables, pack->sites[row]->view.module);
}

static uint64_t site_callee(struct pack *pack, size_t row) {
    return pack_function(&pack->tables, pack->sites[row]->view.callee);
}

static uint64_t site_type(struct pack *pack, size_t row) {
    return pack_type(&pack->tables, pack->sites[row]->view.type);
}

static uint64_t site_function(struct pack *pack, size_t row) {
    return pack_function(&pack->tables, pack->sites[row]->view.at.function);
}

static uint64_t site_file(struct pack *pack, size_t row) {
    return pack_text(&pack->tables, pack->sites[row]->view.at.file);
}

static uint64_t site_line(struct pack *pack, size_t row) {
    return pack->sites[row]->view.at.line;
}

static uint64_t site_column(struct pack *pack, size_t row) {
    return pack->sites[row]->view.at.column;
}

/* Inverted, so that most columns are all zeros and left out. */
static uint64_t site_unsited(struct pack *pack, size_t row) {
    return !pack->sites[row]->view.sited;
}

/* 1: a chunk of a custom allocator, 2: mappings; both are in no total. */
static uint64_t site_uncounted(struct pack *pack, size_t row) {
    return pack->sites[row]->view.outside_totals + pack->sites[row]->view.mapping;
}

/* Start-up of a library, or a buffer of stdio. */
static uint64_t site_startup(struct pack *pack, size_t row) {
    return report_library_use(pack->sites[row]) != NULL;
}

/* For a site without calling frames: its own location and those of its inline chain. */
static uint64_t site_node(struct pack *pack, size_t row) {
    const struct report_site *site = pack->sites[row];
    call_path_make(&pack->path, &site->view, site->way ? site->main_stack : NULL);
    return pack_path(&pack->tables, &pack->path);
}

static uint64_t stack_site(struct pack *pack, size_t row) {
    return pack->written[row].site;
}

static uint64_t stack_node(struct pack *pack, size_t row) {
    return pack->written[row].node;
}

static void put_column(struct pack *pack, const char *key, number_of *of, size_t count) {
    size_t first = 0;
    while (first < count && !of(pack, first))
        first++;
    if (first == count)
        return;
    json_open(&pack->json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_number(&pack->json, NULL, of(pack, i));
    json_close(&pack->json, ']');
}

static void put_counter(struct pack *pack, const char *key, size_t offset, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum |= *(const uint64_t *)((const char *)pack->counters[i] + offset);
    if (!sum)
        return;
    json_open(&pack->json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_number(&pack->json, NULL, *(const uint64_t *)((const char *)pack->counters[i] + offset));
    json_close(&pack->json, ']');
}

static void put_counters(struct pack *pack, size_t count) {
#define PUT_COUNTER(name) put_counter(pack, #name, offsetof(struct counters, name), count);
    ALLOCSITE_SITE_TOTALS(PUT_COUNTER)
    ALLOCSITE_ASKED(PUT_COUNTER)
    ALLOCSITE_LEAKED(PUT_COUNTER)
#undef PUT_COUNTER
}

static void put_ids(struct pack *pack) {
    json_open(&pack->json, "id", '[');
    for (size_t i = 0; i < pack->site_count; i++)
        json_id(&pack->json, NULL, pack->sites[i]->view.id);
    json_close(&pack->json, ']');
}

void pack_sites(struct pack *pack) {
    static const struct {
        const char *name;
        number_of *of;
    } columns[] = {{"module", site_module},   {"function", site_function}, {"file", site_file},
                   {"line", site_line},       {"column", site_column},     {"callee", site_callee},
                   {"type", site_type},       {"unsited", site_unsited},   {"uncounted", site_uncounted},
                   {"startup", site_startup}, {"node", site_node}};
    json_open_line(&pack->json, "sites", '{');
    put_ids(pack);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put_column(pack, columns[i].name, columns[i].of, pack->site_count);
    for (size_t i = 0; i < pack->site_count; i++)
        pack->counters[i] = &pack->sites[i]->counters;
    put_counters(pack, pack->site_count);
    json_close(&pack->json, '}');
}

void pack_old(struct pack *pack) {
    static const struct report_site none;
    for (size_t i = 0; i < pack->site_count; i++) {
        pack->sites[i] = pack->old[i] ?: &none;
        pack->counters[i] = &pack->sites[i]->counters;
    }
    json_open_line(&pack->json, "old", '{');
    put_counters(pack, pack->site_count);
    json_close(&pack->json, '}');
}

void pack_stacks_as(struct pack *pack, const char *key, const struct pack_stacks *stacks) {
    json_open_line(&pack->json, key, '{');
    json_number(&pack->json, "count", stacks->count);
    pack->written = stacks->list;
    put_column(pack, "site", stack_site, stacks->count);
    put_column(pack, "node", stack_node, stacks->count);
    for (size_t i = 0; i < stacks->count; i++)
        pack->counters[i] = stacks->list[i].counters;
    put_counters(pack, stacks->count);
    json_close(&pack->json, '}');
}
