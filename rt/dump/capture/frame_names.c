/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of frames. */
#include "dump/base/memory.h"
#include "dump/capture/roots.h"
#include "dump/load/symbolize.h"

#include <stdlib.h>

/* The first frame of the thread that has it. NULL: none. */
static const struct capture_frame *find(const struct capture_frame *frames, size_t count,
                                        const struct graph_root *root) {
    for (size_t i = 0; i < count; i++)
        if (frames[i].thread == root->thread && frames[i].begin <= root->offset &&
            root->offset < frames[i].end)
            return &frames[i];
    return NULL;
}

/* The one that all others at the place were inlined into: whose variables are there is not told. */
static const char *function_of(const struct site_view *view) {
    return view->inlined_count ? view->inlined[view->inlined_count - 1].function : view->at.function;
}

static void name_root(struct graph_root *root, const char *function, struct string_pool *texts) {
    if (function)
        root->label = (uint32_t)string_number(texts, function);
}

/* For the symbolizer: a report of what the frames are, each a row. */
static void symbolize(struct symbolizer *symbolizer, struct report_site *rows,
                      const struct capture_frame *frames, size_t count) {
    struct report report = {.site_count = count, .sites = memory_zeros(count, sizeof *report.sites)};
    for (size_t i = 0; i < count; i++) {
        rows[i].view = (struct site_view){.module = frames[i].module, .build_id = frames[i].build_id};
        rows[i].view.address = frames[i].module ? frames[i].address : 0;
        report.sites[i] = &rows[i];
    }
    symbolize_report(symbolizer, &report);
    free(report.sites);
}

void capture_frames_name(struct graph *graph, const struct capture_frame *frames, size_t count,
                         struct string_pool *texts) {
    struct symbolizer symbolizer = {.is_quiet = true};
    struct report_site *rows = memory_zeros(count, sizeof *rows);
    symbolize(&symbolizer, rows, frames, count);
    for (size_t i = 0; i < graph->root_count; i++) {
        struct graph_root *root = &graph->roots[i];
        const struct capture_frame *frame = root->kind == GRAPH_STACK ? find(frames, count, root) : NULL;
        if (frame)
            name_root(root, function_of(&rows[frame - frames].view), texts);
        root->offset = root->kind == GRAPH_STACK ? 0 : root->offset;
    }
    symbolizer_free(&symbolizer);
    free(rows);
}
