/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Naming what is in a graph that its process has written itself: its sites and stacks are made a report, as
 * one that is read from a process would be. */
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/capture/capture.h"
#include "dump/capture/sites.h"

#include <stdlib.h>

struct bare {
    struct report report;
    struct report_site *rows; /* of each site of the graph */
    struct report_module *modules;
    struct report_module *module_of; /* of each module of the graph */
    struct report_frame *frames;     /* of each call of the graph */
    uint32_t *stacks; /* of each stack of the graph its number in the report + 1; 0: no block has it */
    struct capture_sites sites;
    struct string_pool texts;
};

static const char *build_id_of(const struct graph *graph, const struct graph_module *module) {
    const char *text = graph_text(graph, module->build_id);
    return text && *text ? text : NULL;
}

static void list_modules(struct bare *bare, const struct graph *graph) {
    bare->modules = memory_zeros(graph->module_count, sizeof *bare->modules);
    bare->module_of = memory_zeros(graph->module_count, sizeof *bare->module_of);
    for (size_t i = 0; i < graph->module_count; i++) {
        const struct graph_module *module = &graph->modules[i];
        struct report_module *to = &bare->modules[bare->report.modules_size];
        *to = (struct report_module){graph_text(graph, module->path), build_id_of(graph, module)};
        bare->module_of[i] = *to;
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

static void add_frames(struct bare *bare, const struct graph *graph, const struct graph_stack *stack,
                       struct report_stack *to) {
    to->frames = bare->frames + stack->calls;
    to->frame_count = stack[1].calls - stack->calls;
    for (size_t i = 0; i < to->frame_count; i++) {
        const struct graph_call *call = &graph->calls[stack->calls + i];
        const struct report_module *module =
            call->module == GRAPH_NONE ? NULL : &bare->module_of[call->module];
        to->frames[i] =
            (struct report_frame){.module = module && module->path ? module : NULL, .address = call->address};
    }
}

static void count_stack(struct bare *bare, const struct graph *graph, size_t block) {
    struct report *report = &bare->report;
    uint32_t stack = graph->stack_of[block];
    struct report_site *row = &bare->rows[graph->blocks[block].site];
    if (stack == GRAPH_NONE || !row->view.module)
        return;
    if (!bare->stacks[stack]) {
        struct report_stack *to = &report->stacks[report->stack_count++];
        to->site = row;
        add_frames(bare, graph, &graph->stacks[stack], to);
        bare->stacks[stack] = (uint32_t)report->stack_count;
    }
    struct counters *counters = &report->stacks[bare->stacks[stack] - 1].counters;
    counters->allocs++;
    counters->live_blocks++;
    counters->alloc_bytes += graph->blocks[block].size;
}

static void make_stacks(struct bare *bare, const struct graph *graph) {
    bare->report.stacks = memory_zeros(graph->stack_count, sizeof *bare->report.stacks);
    bare->stacks = memory_zeros(graph->stack_count, sizeof *bare->stacks);
    bare->frames = memory_zeros(graph->call_count, sizeof *bare->frames);
    for (size_t i = 0; graph->stack_of && i < graph->block_count; i++)
        count_stack(bare, graph, i);
}

/* But of each block which it has. */
static void drop_stacks(struct graph *graph) {
    free(graph->stacks);
    free(graph->calls);
    graph->stacks = NULL;
    graph->calls = NULL;
    graph->stack_count = graph->call_count = 0;
}

/* The old sites and stacks, in the place of which the report's come. */
static void exchange_sites(struct bare *bare, struct graph *graph, const struct symbolizer *symbolizer) {
    struct graph_site *old = graph->sites;
    graph->sites = NULL;
    graph->site_count = graph->site_room = 0;
    drop_stacks(graph);
    capture_sites_add(&bare->sites, graph, &bare->texts, symbolizer);
    for (size_t i = 0; i < graph->block_count; i++) {
        uint32_t site = graph->blocks[i].site;
        bool is_ours = old[site].is_uncounted && !bare->rows[site].view.module;
        graph->blocks[i].site =
            is_ours ? CAPTURE_UNCOUNTED : capture_site_of_row(&bare->sites, &bare->rows[site]);
    }
    for (size_t i = 0; graph->stack_of && i < graph->block_count; i++) {
        uint32_t stack = graph->stack_of[i], number = stack == GRAPH_NONE ? 0 : bare->stacks[stack];
        graph->stack_of[i] = number ? number - 1 : GRAPH_NONE;
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
    make_stacks(bare, graph);
    bare->sites.source.report = &bare->report;
    symbolize_report(&symbolizer, &bare->report);
    exchange_sites(bare, graph, &symbolizer);
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
    free(bare->report.stacks);
    free(bare->stacks);
    free(bare->frames);
    free(bare->modules);
    free(bare->module_of);
    free(bare->rows);
    free(bare);
}
