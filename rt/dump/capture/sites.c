/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sites of blocks. */
#include "dump/capture/sites.h"

#include "base/path.h"
#include "base/sort.h"
#include "dump/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNCOUNTED, UNKNOWN, FIRST };

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

/* A line may allocate objects of two types: "node or bucket *". */
static bool is_one_type(const char *type) {
    return type && !strstr(type, " or ");
}

static void set_types(struct capture_sites *sites, const struct graph *graph, struct string_pool *texts) {
    const struct report *report = sites->source.report;
    sites->types = memory_zeros(graph->site_count, sizeof *sites->types);
    sites->in_use = memory_zeros(graph->site_count, sizeof *sites->in_use);
    sites->in_use[UNCOUNTED] = true;
    for (size_t i = 0; i < report->counted; i++) {
        const struct site_view *view = &report->sites[i]->view;
        const struct module_type *type = type_layouts_find(&sites->layouts, view);
        block_type_set(&sites->types[FIRST + i], is_one_type(view->type) ? type : NULL, texts);
        sites->in_use[FIRST + i] = is_loaders(view);
    }
}

bool capture_sites_read(struct capture_sites *sites, struct graph *graph, struct string_pool *texts,
                        unsigned pid, struct reason *why) {
    struct report_limits everything = {.top = 0};
    char path[32];
    *sites = (struct capture_sites){.layouts.wants_fields = true};
    snprintf(path, sizeof path, REPORT_SOURCE_PID "%u", pid);
    if (!report_source_load(&sites->source, path, why))
        return false;
    struct report *report = sites->source.report;
    report_prepare(report, &everything);
    module_list_take(&sites->modules, &sites->source);
    type_layouts_read(&sites->layouts, report, &sites->modules);
    add_site(graph)->is_uncounted = true;
    add_site(graph);
    for (size_t i = 0; i < report->counted; i++)
        add_view(graph, texts, &report->sites[i]->view);
    set_types(sites, graph, texts);
    graph->program = text_of(texts, report->program);
    return true;
}

void capture_sites_free(struct capture_sites *sites, const struct graph *graph) {
    for (size_t i = 0; i < graph->site_count; i++)
        block_type_free(&sites->types[i]);
    free(sites->types);
    free(sites->in_use);
    type_layouts_free(&sites->layouts);
    module_list_free(&sites->modules);
    report_source_free(&sites->source);
}

uint32_t capture_site_of(const struct capture_sites *sites, uint32_t slot, uint32_t ours) {
    const struct profile_file *file = &sites->source.profile;
    size_t count = sites->source.report->site_count;
    size_t row = sorted_below(file->slots, count, sizeof *file->slots, 0, slot);
    if (slot == ours)
        return UNCOUNTED;
    bool is_known = row < count && file->slots[row] == slot && file->rows[row].merged &&
                    file->rows[row].merged->position < sites->source.report->counted;
    return is_known ? FIRST + (uint32_t)file->rows[row].merged->position : UNKNOWN;
}
