/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Adds the sites of blocks to the graph. */
#include "dump/capture/sites.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"
#include "dump/capture/capture.h"
#include "dump/line/symbolize.h"
#include "dump/view/tree.h"
#include "format.h"

#include <stdlib.h>
#include <string.h>

static uint32_t text_of(struct string_pool *texts, const char *text) {
    return text ? (uint32_t)string_number(texts, text) : GRAPH_NONE;
}

static bool begins_with(const char *text, const char *with) {
    return text && strncmp(text, with, strlen(with)) == 0;
}

bool capture_is_loaders(const struct site_view *view) {
    const char *module = path_base(view->module), *function = view->at.function, *callee = view->callee;
    if (callee && (strcmp(callee, "pthread_create") == 0 || strcmp(callee, "dlopen") == 0 ||
                   strcmp(callee, "dlmopen") == 0))
        return true;
    return !view->sited && (begins_with(module, "ld-linux") || begins_with(module, "ld.so") ||
                            begins_with(function, "_dl_") || begins_with(function, "allocate_dtv"));
}

static struct graph_site *add_site(struct graph *graph) {
    memory_grow(&graph->sites, graph->site_count, &graph->site_capacity, sizeof *graph->sites);
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
    site->is_uncounted = view->outside_totals;
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

/* Adds a copy of a site for each of its types. */
static void add_choice(struct capture_sites *sites, struct graph *graph, struct string_pool *texts,
                       size_t of) {
    struct site_view view = sites->source->report->sites[of]->view;
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
    const struct report *report = sites->source->report;
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
        sites->in_use[CAPTURE_FIRST + i] = capture_is_loaders(view);
    }
}

/* Adds a stack for each of the report's, which the symbolizer has looked up. */
static void add_stacks(struct graph *graph, struct string_pool *texts, const struct report *report,
                       struct symbolizer *symbolizer) {
    struct by_stack rows;
    if (!report->walks.depth)
        return;
    by_stack_make(&rows, report, symbolizer);
    graph->stack_count = report->stack_count;
    graph->stacks = memory_zeros(graph->stack_count, sizeof *graph->stacks);
    for (size_t i = 0; i < graph->stack_count; i++)
        graph->stacks[i].way = GRAPH_NONE;
    for (size_t i = 0; i < rows.count; i++)
        if (rows.rows[i].main_stack)
            graph->stacks[rows.rows[i].main_stack - report->stacks].way = text_of(texts, rows.rows[i].way);
    by_stack_free(&rows);
}

static void add_sites(struct capture_sites *sites, struct graph *graph, struct string_pool *texts) {
    struct report_limits everything = {.top = 0};
    struct report *report = sites->source->report;
    sites->layouts.wants_fields = true;
    report_prepare(report, &everything);
    module_list_take(&sites->modules, sites->source);
    type_layouts_read(&sites->layouts, report, &sites->modules);
    add_site(graph)->is_uncounted = true;
    add_site(graph);
    for (size_t i = 0; i < report->counted; i++) {
        struct site_view view = report->sites[i]->view;
        view.type = report_is_exception_pool(report->sites[i]) ? ALLOCSITE_BYTES : view.type;
        add_view(graph, texts, &view);
    }
    set_types(sites, graph, texts);
    add_stacks(graph, texts, report, &sites->symbolizer);
    graph->head.program = text_of(texts, report->program);
}

static void complain_of_files(const struct type_layouts *layouts) {
    for (size_t i = 0; i < layouts->unknown_count; i++)
        complain_file(layouts->unknown[i].module, "its fields have no names: %s", layouts->unknown[i].why);
}

void capture_sites_add(struct capture_sites *sites, struct graph *graph, struct string_pool *texts,
                       const struct report_source *source, const struct line_options *line) {
    *sites = (struct capture_sites){.source = source, .symbolizer.is_quiet = true};
    if (line)
        sites->symbolizer.line = *line;
    report_source_lines(source, &sites->symbolizer);
    add_sites(sites, graph, texts);
    complain_of_files(&sites->layouts);
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

uint32_t capture_site_of(const struct capture_sites *sites, uint32_t slot, uint32_t ours) {
    const struct report_site *row = profile_row(&sites->source->profile, slot);
    if (slot == ours)
        return CAPTURE_UNCOUNTED;
    bool is_known = row && row->merged && row->merged->position < sites->source->report->counted;
    return is_known ? CAPTURE_FIRST + (uint32_t)row->merged->position : CAPTURE_UNKNOWN;
}

uint32_t capture_stack_of(const struct capture_sites *sites, uint32_t slot) {
    size_t stack = profile_stack(&sites->source->profile, slot);
    return stack == SIZE_MAX ? GRAPH_NONE : (uint32_t)stack;
}
