/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names for the addresses of a report. */
#include "demangle.h"
#include "symbolize.h"

#include <stdlib.h>

static bool want_all(struct symbolizer *symbolizer, const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++) {
        const struct site_view *view = &report->sites[i]->view;
        if (!symbolizer_want(symbolizer, view->module, view->build_id, view->address))
            return false;
    }
    for (size_t i = 0; i < report->stack_count; i++)
        for (size_t j = 0; j < report->stacks[i].frame_count; j++) {
            const struct report_frame *frame = &report->stacks[i].frames[j];
            if (frame->module &&
                !symbolizer_want(symbolizer, frame->module->path, frame->module->build_id, frame->address))
                return false;
        }
    return true;
}

/* The runtime has symbols as they are in the file. */
static void demangle_name(struct symbolizer *symbolizer, const char **name) {
    char *demangled = demangle(*name);
    if (demangled) {
        *name = demangled;
        symbolizer->is_broken |= !string_pool_keep(&symbolizer->strings, name);
    }
    free(demangled);
}

static void name_row(struct symbolizer *symbolizer, struct site_view *view) {
    size_t count;
    const struct place *places =
        symbolizer_find(symbolizer, view->module, view->build_id, view->address, &count);
    if (!count || !places[0].function) {
        demangle_name(symbolizer, &view->at.function);
        return;
    }
    view->at = places[0];
    view->inlined = places + 1;
    view->inlined_count = count - 1;
}

static void name_frame(struct symbolizer *symbolizer, struct report_frame *frame) {
    size_t count = 0;
    const struct place *places = frame->module
                                     ? symbolizer_find(symbolizer, frame->module->path,
                                                       frame->module->build_id, frame->address, &count)
                                     : NULL;
    if (count && places[count - 1].function)
        frame->function = places[count - 1].function;
    else
        demangle_name(symbolizer, &frame->function);
}

bool symbolize_report(struct symbolizer *symbolizer, struct report *report) {
    if (symbolizer->is_off || !want_all(symbolizer, report))
        return symbolizer->is_off;
    symbolizer_run(symbolizer);
    for (size_t i = 0; i < report->site_count; i++)
        if (report->sites[i]->view.address)
            name_row(symbolizer, &report->sites[i]->view);
    for (size_t i = 0; i < report->stack_count; i++)
        for (size_t j = 0; j < report->stacks[i].frame_count; j++)
            name_frame(symbolizer, &report->stacks[i].frames[j]);
    return !symbolizer->is_broken;
}
