/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sites of blocks. */
#include "dump/capture/sites.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/capture/capture.h"
#include "dump/load/symbolize.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t text_of(struct string_pool *texts, const char *text) {
    return text ? (uint32_t)string_number(texts, text) : GRAPH_NONE;
}

/* The memory of threads and modules. */
static bool is_loaders(const struct site_view *view) {
    const char *module = path_base(view->module);
    if (!view->sited)
        return module && (strncmp(module, "ld-linux", strlen("ld-linux")) == 0 ||
                          strncmp(module, "ld.so", strlen("ld.so")) == 0);
    return view->callee && (strcmp(view->callee, "pthread_create") == 0 ||
                            strcmp(view->callee, "dlopen") == 0 || strcmp(view->callee, "dlmopen") == 0);
}

static struct graph_site *add_site(struct graph *graph) {
    memory_grow(&graph->sites, graph->site_count, &graph->site_room, sizeof *graph->sites);
    struct graph_site *site = &graph->sites[graph->site_count++];
    *site = (struct graph_site){
        .function = GRAPH_NONE, .file = GRAPH_NONE, .module = GRAPH_NONE, .type = GRAPH_NONE};
    return site;
}

static void add_view(struct graph *graph, struct string_pool *texts, const struct site_view *view) {
    struct graph_site *site = add_site(graph);
    site->id = view->id;
    site->function = text_of(texts, view->at.function);
    site->file = text_of(texts, view->at.file);
    site->module = text_of(texts, view->module);
    site->type = text_of(texts, view->type);
    site->line = view->at.line;
    site->column = view->at.column;
    site->is_uncounted = view->backing;
}

/* Of what a function of the C++ library's strings allocates, which is compiled in the library: characters. */
static const char *characters_of(const struct report_site *site, char name[TYPE_NAME_SIZE]) {
    static const char *const strings[] = {"std::string::", "std::__cxx11::basic_string<",
                                          "std::basic_string<"};
    const char *function = site->view.sited ? NULL : site->view.at.function;
    for (size_t i = 0; function && i < sizeof strings / sizeof *strings; i++) {
        size_t length = strlen(strings[i]);
        if (strncmp(function, strings[i], length) != 0)
            continue;
        snprintf(name, TYPE_NAME_SIZE, "%.*s", (int)(i ? strcspn(function + length, ",>") : 4),
                 i ? function + length : "char");
        return name;
    }
    return NULL;
}

static bool are_all_known(const struct capture_sites *sites, struct site_view view) {
    char name[TYPE_NAME_SIZE];
    for (const char *left = view.type; type_name_alternative(&left, name);) {
        view.type = name;
        const struct module_type *type = type_layouts_find(&sites->layouts, &view);
        bool is_bytes = strcmp(name, ALLOCSITE_BYTES) == 0;
        if (!type ||
            (!is_bytes && (type->layout.state == TYPE_UNKNOWN || type->layout.state == TYPE_DIFFERS)))
            return false;
    }
    return true;
}

/* A site for each of its types. */
static void add_choice(struct capture_sites *sites, struct graph *graph, struct string_pool *texts,
                       size_t of) {
    struct site_view view = sites->source.report->sites[of]->view;
    struct capture_choice *choice = &sites->choices[CAPTURE_FIRST + of];
    char name[TYPE_NAME_SIZE];
    if (!view.type || !strstr(view.type, TYPE_NAME_OR) || !are_all_known(sites, view))
        return;
    choice->first = (uint32_t)graph->site_count;
    for (const char *left = view.type; type_name_alternative(&left, name); choice->count++) {
        view.type = name;
        add_view(graph, texts, &view);
    }
}

static void set_type(struct capture_sites *sites, const struct graph *graph, struct string_pool *texts,
                     size_t site, struct site_view view) {
    uint32_t type = graph->sites[site].type;
    view.type = type == GRAPH_NONE ? NULL : texts->list[type];
    if (view.type && strstr(view.type, TYPE_NAME_OR))
        view.type = NULL;
    block_type_set(&sites->types[site], type_layouts_find(&sites->layouts, &view), texts);
}

static void set_types(struct capture_sites *sites, struct graph *graph, struct string_pool *texts) {
    const struct report *report = sites->source.report;
    sites->choices = memory_zeros(CAPTURE_FIRST + report->counted, sizeof *sites->choices);
    for (size_t i = 0; i < report->counted; i++)
        add_choice(sites, graph, texts, i);
    sites->types = memory_zeros(graph->site_count, sizeof *sites->types);
    sites->in_use = memory_zeros(graph->site_count, sizeof *sites->in_use);
    sites->in_use[CAPTURE_UNCOUNTED] = true;
    for (size_t i = 0; i < report->counted; i++) {
        const struct site_view *view = &report->sites[i]->view;
        const struct capture_choice *choice = &sites->choices[CAPTURE_FIRST + i];
        set_type(sites, graph, texts, CAPTURE_FIRST + i, *view);
        for (uint32_t site = choice->first; site < choice->first + choice->count; site++)
            set_type(sites, graph, texts, site, *view);
        sites->in_use[CAPTURE_FIRST + i] = is_loaders(view);
    }
}

/* The same by a report that is not prepared, and to which source points. */
static void capture_sites_add(struct capture_sites *sites, struct graph *graph, struct string_pool *texts) {
    struct report_limits everything = {.top = 0};
    struct report *report = sites->source.report;
    sites->layouts.wants_fields = true;
    report_prepare(report, &everything);
    module_list_take(&sites->modules, &sites->source);
    type_layouts_read(&sites->layouts, report, &sites->modules);
    add_site(graph)->is_uncounted = true;
    add_site(graph);
    for (size_t i = 0; i < report->counted; i++) {
        struct site_view view = report->sites[i]->view;
        char characters[TYPE_NAME_SIZE];
        view.type = report_is_exception_pool(report->sites[i]) ? ALLOCSITE_BYTES : view.type;
        view.type = view.type ? view.type : characters_of(report->sites[i], characters);
        add_view(graph, texts, &view);
    }
    set_types(sites, graph, texts);
    graph->head.program = text_of(texts, report->program);
}

bool capture_sites_read(struct capture_sites *sites, struct graph *graph, struct string_pool *texts,
                        unsigned pid, struct reason *why) {
    char path[32];
    *sites = (struct capture_sites){.layouts.types = NULL};
    snprintf(path, sizeof path, REPORT_SOURCE_PID "%u", pid);
    if (!report_source_load(&sites->source, path, why))
        return false;
    sites->symbolizer.is_quiet = true;
    symbolize_report(&sites->symbolizer, sites->source.report);
    capture_sites_add(sites, graph, texts);
    return true;
}

void capture_texts_copy(struct graph *graph, struct string_pool *texts) {
    graph->texts = memory_zeros(texts->count, sizeof *graph->texts);
    graph->text_count = texts->count;
    for (size_t i = 0; i < texts->count; i++)
        graph->texts[i] = memory_copy(texts->list[i], strlen(texts->list[i]) + 1);
}

void capture_sites_free(struct capture_sites *sites, const struct graph *graph) {
    for (size_t i = 0; i < graph->site_count; i++)
        block_type_free(&sites->types[i]);
    free(sites->types);
    free(sites->choices);
    free(sites->in_use);
    type_layouts_free(&sites->layouts);
    module_list_free(&sites->modules);
    symbolizer_free(&sites->symbolizer);
}

static uint32_t capture_site_of_row(const struct capture_sites *sites, const struct report_site *row) {
    bool is_known = row->merged && row->merged->position < sites->source.report->counted;
    return is_known ? CAPTURE_FIRST + (uint32_t)row->merged->position : CAPTURE_UNKNOWN;
}

uint32_t capture_site_of(const struct capture_sites *sites, uint32_t slot, uint32_t ours) {
    const struct report_site *row = profile_row(&sites->source.profile, slot);
    if (slot == ours)
        return CAPTURE_UNCOUNTED;
    return row ? capture_site_of_row(sites, row) : CAPTURE_UNKNOWN;
}

/* ---- Naming what is in a graph that its process has written itself: its sites are made a report, as one
 * that is read from a process would be. */

struct bare {
    struct report report;
    struct report_site *rows; /* of each site of the graph */
    struct report_module *modules;
    struct capture_sites sites;
    struct string_pool texts;
};

static const char *build_id_of(const struct graph *graph, const struct graph_module *module) {
    const char *text = graph_text(graph, module->build_id);
    return text && *text ? text : NULL;
}

static void list_modules(struct bare *bare, const struct graph *graph) {
    bare->modules = memory_zeros(graph->module_count, sizeof *bare->modules);
    for (size_t i = 0; i < graph->module_count; i++) {
        const struct graph_module *module = &graph->modules[i];
        struct report_module *to = &bare->modules[bare->report.modules_size];
        *to = (struct report_module){graph_text(graph, module->path), build_id_of(graph, module)};
        bare->report.modules_size += to->path != NULL;
    }
    modules_sort(bare->modules, bare->report.modules_size);
    bare->report.modules = bare->modules;
}

static struct site_view view_of(const struct graph *graph, const struct graph_site *site) {
    struct site_view view = {.id = site->id,
                             .module = graph_text(graph, site->module),
                             .address = site->address,
                             .at = {.function = graph_text(graph, site->function),
                                    .file = graph_text(graph, site->file),
                                    .line = site->line,
                                    .column = site->column},
                             .type = graph_text(graph, site->type),
                             .backing = site->is_uncounted};
    view.sited = view.at.function || view.at.file || view.type;
    return view;
}

/* A site without a module is none. */
static void make_report(struct bare *bare, const struct graph *graph) {
    struct report *report = &bare->report;
    report->program = graph_text(graph, graph->head.program);
    report->sites = memory_zeros(graph->site_count, sizeof *report->sites);
    bare->rows = memory_zeros(graph->site_count, sizeof *bare->rows);
    for (size_t i = 0; i < graph->block_count; i++) {
        struct counters *counters = &bare->rows[graph->blocks[i].site].counters;
        counters->allocs++;
        counters->live_blocks++;
        counters->alloc_bytes += graph->blocks[i].size;
    }
    for (size_t i = 0; i < graph->site_count; i++) {
        bare->rows[i].view = view_of(graph, &graph->sites[i]);
        if (bare->rows[i].counters.allocs && bare->rows[i].view.module)
            report->sites[report->site_count++] = &bare->rows[i];
    }
}

/* The old sites, in the place of which the report's come. */
static void exchange_sites(struct bare *bare, struct graph *graph) {
    struct graph_site *old = graph->sites;
    graph->sites = NULL;
    graph->site_count = graph->site_room = 0;
    capture_sites_add(&bare->sites, graph, &bare->texts);
    for (size_t i = 0; i < graph->block_count; i++) {
        uint32_t site = graph->blocks[i].site;
        bool is_ours = old[site].is_uncounted && !bare->rows[site].view.module;
        graph->blocks[i].site =
            is_ours ? CAPTURE_UNCOUNTED : capture_site_of_row(&bare->sites, &bare->rows[site]);
    }
    free(old);
}

static void name_variables(struct bare *bare, struct graph *graph) {
    struct capture_maps maps = {.data_count = graph->module_count,
                                .data = memory_zeros(graph->module_count, sizeof *maps.data)};
    for (size_t i = 0; i < graph->module_count; i++) {
        const struct graph_module *module = &graph->modules[i];
        maps.data[i] = (struct capture_data){.begin = module->begin,
                                             .end = module->begin + module->size,
                                             .base = module->base,
                                             .path = graph_text(graph, module->path) ?: "",
                                             .build_id = build_id_of(graph, module)};
    }
    capture_variables(graph, &maps, &bare->texts);
    capture_maps_free(&maps);
}

static void name_frames(struct bare *bare, struct graph *graph) {
    struct capture_frame *frames = memory_zeros(graph->frame_count, sizeof *frames);
    for (size_t i = 0; i < graph->frame_count; i++) {
        const struct graph_frame *frame = &graph->frames[i];
        const struct graph_module *module =
            frame->module == GRAPH_NONE ? NULL : &graph->modules[frame->module];
        frames[i] = (struct capture_frame){.begin = frame->begin,
                                           .end = frame->end,
                                           .thread = frame->thread,
                                           .module = module ? graph_text(graph, module->path) : NULL,
                                           .build_id = module ? build_id_of(graph, module) : NULL,
                                           .address = frame->address};
    }
    capture_frames_name(graph, frames, graph->frame_count, &bare->texts);
    free(frames);
}

static void set_texts(struct bare *bare, struct graph *graph) {
    for (size_t i = 0; i < graph->text_count; i++)
        free(graph->texts[i]);
    free(graph->texts);
    free(graph->modules);
    free(graph->frames);
    graph->modules = NULL;
    graph->frames = NULL;
    graph->module_count = graph->frame_count = 0;
    capture_texts_copy(graph, &bare->texts);
}

/* The edges of a hostile file may have labels, of texts that go. */
static void drop_labels(struct graph *graph) {
    for (size_t i = 0; i < graph->edge_count; i++)
        graph->edges[i].label = GRAPH_NONE;
    for (size_t i = 0; i < graph->root_count; i++)
        graph->roots[i].label = GRAPH_NONE;
    graph->head.words = (struct graph_words){.past_end = GRAPH_UNKNOWN, .stale = GRAPH_UNKNOWN};
}

static void complain_of_files(const struct bare *bare) {
    const struct type_layouts *layouts = &bare->sites.layouts;
    for (size_t i = 0; i < layouts->unknown_count; i++)
        complain(layouts->unknown[i].module, "its fields have no names: %s", layouts->unknown[i].why);
}

void capture_name(struct graph *graph) {
    struct bare *bare = memory_zeros(1, sizeof *bare);
    struct symbolizer symbolizer = {.is_quiet = true};
    drop_labels(graph);
    list_modules(bare, graph);
    make_report(bare, graph);
    bare->sites.source.report = &bare->report;
    symbolize_report(&symbolizer, &bare->report);
    exchange_sites(bare, graph);
    complain_of_files(bare);
    capture_choose(graph, &bare->sites, &bare->texts, NULL, NULL);
    capture_edges_name(graph, bare->sites.types);
    name_variables(bare, graph);
    name_frames(bare, graph);
    capture_sites_free(&bare->sites, graph);
    set_texts(bare, graph);
    graph->head.is_bare = false;
    symbolizer_free(&symbolizer);
    string_pool_free(&bare->texts);
    free(bare->report.sites);
    free(bare->modules);
    free(bare->rows);
    free(bare);
}
