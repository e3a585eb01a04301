/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites and stacks as columns. */
#include "dump/html/html.h"

typedef uint64_t number_of(struct pack *, size_t row);

static uint64_t site_module(struct pack *pack, size_t row) {
    return pack_text(&pack->tables, pack->sites[row]->view.module);
}

static uint64_t site_callee(struct pack *pack, size_t row) {
    return pack_text(&pack->tables, pack->sites[row]->view.callee);
}

static uint64_t site_type(struct pack *pack, size_t row) {
    return pack_text(&pack->tables, pack->sites[row]->view.type);
}

static uint64_t site_function(struct pack *pack, size_t row) {
    return pack_text(&pack->tables, pack->sites[row]->view.at.function);
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

/* So that most columns of them are of zeros, which are left out. */
static uint64_t site_unsited(struct pack *pack, size_t row) {
    return !pack->sites[row]->view.sited;
}

static uint64_t site_backing(struct pack *pack, size_t row) {
    return pack->sites[row]->view.backing;
}

static uint64_t site_wrapper(struct pack *pack, size_t row) {
    return pack->sites[row]->view.of_wrapper;
}

static uint64_t site_lost_blocks(struct pack *pack, size_t row) {
    return pack->sites[row]->lost_blocks;
}

static uint64_t site_lost_bytes(struct pack *pack, size_t row) {
    return pack->sites[row]->lost_bytes;
}

static void add_place(struct pack *pack, const struct place *place, const struct site_view *view) {
    struct tree_path *path = &pack->path;
    if (path->count < TREE_PATH_MAX)
        path->places[path->count++] = (struct tree_place){.function = place->function,
                                                          .file = place->file,
                                                          .module = view->module,
                                                          .line = place->line,
                                                          .column = place->column,
                                                          .address = place->function ? 0 : view->address};
}

/* Without calling frames: where it is written, and what that is inlined into. */
static uint64_t site_node(struct pack *pack, size_t row) {
    const struct site_view *view = &pack->sites[row]->view;
    pack->path.count = 0;
    add_place(pack, &view->at, view);
    for (size_t i = 0; i < view->inlined_count; i++)
        add_place(pack, &view->inlined[i], view);
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
    } columns[] = {
        {"module", site_module},   {"function", site_function},       {"file", site_file},
        {"line", site_line},       {"column", site_column},           {"callee", site_callee},
        {"type", site_type},       {"unsited", site_unsited},         {"backing", site_backing},
        {"wrapper", site_wrapper}, {"lost_blocks", site_lost_blocks}, {"lost_bytes", site_lost_bytes},
        {"node", site_node}};
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
    put_column(pack, "lost_blocks", site_lost_blocks, pack->site_count);
    put_column(pack, "lost_bytes", site_lost_bytes, pack->site_count);
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
