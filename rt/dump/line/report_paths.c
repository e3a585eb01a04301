/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The call paths of a report's stacks for formats that programs read. */
#include "dump/line/report_paths.h"

#include "dump/base/memory.h"
#include "dump/line/pass_through.h"

#include <stdlib.h>

static const struct report_call *take(struct report_paths *paths, const struct report_stack *stack,
                                      size_t *count, size_t *line) {
    struct line_paths *self = (struct line_paths *)paths; /* its first member */
    const struct site_view *site = stack->origin ? stack->origin : &stack->site->view;
    size_t chosen = line_chooser_take(&self->chooser, site, stack, count);
    *line = chosen < *count ? chosen : 0;
    *count = self->chooser.path.count;
    for (size_t i = 0; i < *count; i++) {
        const struct path_place *place = &self->chooser.path.places[i];
        self->calls[i] = (struct report_call){
            .at = {place->function, place->file, place->line, place->column},
            .module = place->module,
            .address = place->returns,
            .is_inlined = place->is_inlined,
            .passes_through = place->function && line_chooser_flags(&self->chooser, place) & PASS_THROUGH,
        };
    }
    return self->calls;
}

struct line_paths *line_paths_make(struct symbolizer *symbolizer, const struct report *report) {
    struct line_paths *self = memory_zeros(1, sizeof *self);
    self->paths.take = take;
    line_chooser_begin(&self->chooser, symbolizer, report);
    return self;
}

void line_paths_free(struct line_paths *self) {
    line_chooser_end(&self->chooser);
    free(self);
}
