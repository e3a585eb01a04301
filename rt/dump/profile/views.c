/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The meaning of a profile's slots. */
#include "dump/profile/views.h"

#include "dump/base/memory.h"
#include "dump/base/modules.h"

#include <stdlib.h>

static uint32_t read_record(struct profile_record *record, const struct profile_areas *areas, uint64_t slot) {
    const unsigned char *at = profile_element(areas, PROFILE_RECORDS, slot);
    if (!at || profile_load_u32(at + offsetof(struct profile_record, what)) == PROFILE_UNUSED)
        return PROFILE_UNUSED;
    profile_copy(record, at, sizeof *record);
    return record->what;
}

static bool is_whole(uint32_t what) {
    return what == PROFILE_SITE || what == PROFILE_MODULE || what == PROFILE_CALLER;
}

/* Stacks are of what is whole or of backing, backing of what is whole: so there is no way to go in circles.
 */
void profile_view_find(struct profile_view *view, const struct profile_views *views, uint64_t slot) {
    struct profile_record *record = &view->record;
    *view = (struct profile_view){.what = PROFILE_UNUSED};
    uint32_t what = read_record(record, views->areas, slot);
    if (what == PROFILE_CUSTOM) {
        view->what = PROFILE_CUSTOM;
        return;
    }
    bool is_stack = what == PROFILE_STACK;
    if (is_stack) {
        view->stack = record->stack;
        what = read_record(record, views->areas, record->parent);
    }
    view->is_backing = what == PROFILE_BACKING;
    if (view->is_backing)
        what = read_record(record, views->areas, record->parent);
    if (is_whole(what))
        view->what = is_stack ? PROFILE_STACK : view->is_backing ? PROFILE_BACKING : (enum profile_what)what;
}

static const struct report_module *module_of(const struct profile_views *views, uint32_t slot) {
    const struct report_module *module = slot ? profile_module_at(views->modules, slot) : NULL;
    views->names->wrong += slot && !module;
    return module;
}

static void view_module(struct site_view *row, const struct profile_views *views,
                        const struct profile_record *record) {
    row->module = profile_name_at(views->names, record->file);
    row->build_id = profile_name_at(views->names, record->build_id);
}

static void view_in_module(struct site_view *row, const struct profile_views *views,
                           const struct profile_record *record) {
    const struct report_module *module = module_of(views, record->module);
    row->module = module ? module->path : NULL;
    row->build_id = module ? module->build_id : NULL;
    row->address = record->what == PROFILE_CALLER ? record->address : 0;
    row->at.function = profile_name_at(views->names, record->function);
}

static void view_site(struct site_view *row, struct profile_names *names,
                      const struct profile_record *record) {
    row->sited = true;
    row->at.file = profile_name_at(names, record->file);
    row->at.line = record->line;
    row->at.column = record->column;
    row->callee = profile_name_at(names, record->callee);
    row->type = profile_name_at(names, record->type);
    row->of_wrapper = record->address != 0;
    const struct profile_chain *chain = profile_chain_read(names, record->inlined);
    row->inlined = chain->places;
    row->inlined_count = chain->count;
}

void profile_view_row(struct site_view *row, const struct profile_views *views,
                      const struct profile_view *view) {
    const struct profile_record *record = &view->record;
    if (view->what == PROFILE_UNUSED) {
        *row = (struct site_view){.id = ROW_UNNAMED_ID, .module = ROW_UNNAMED};
        return;
    }
    *row = (struct site_view){.id = record->id, .backing = view->is_backing};
    if (record->what == PROFILE_MODULE)
        view_module(row, views, record);
    else
        view_in_module(row, views, record);
    if (record->what == PROFILE_SITE)
        view_site(row, views->names, record);
}

/* ---- The calling frames of a profile. */

static void add_frame(struct profile_stacks *stacks, const struct profile_views *views,
                      const struct profile_step *step) {
    memory_grow(&stacks->frames, stacks->frame_count, &stacks->frame_room, sizeof *stacks->frames);
    stacks->frames[stacks->frame_count++] = (struct report_frame){
        .module = step->module ? profile_module_at(views->modules, step->module) : NULL,
        .address = step->address[0] | (uint64_t)step->address[1] << 32,
    };
}

/* A step is written before those that it calls: a damaged one may be of a circle. */
static void add_frames(struct profile_stacks *stacks, const struct profile_views *views, profile_name step) {
    size_t most = stacks->frame_count < PROFILE_FRAMES_MAX ? PROFILE_FRAMES_MAX : PROFILE_STEPS_MAX;
    struct profile_step copy;
    for (size_t count = 0; step && count < most; count++) {
        if (!profile_step_read(views->names, step, &copy) || copy.caller >= step) {
            views->names->wrong++;
            return;
        }
        add_frame(stacks, views, &copy);
        step = copy.caller;
    }
    stacks->cut += step != 0;
}

void profile_stacks_add(struct profile_stacks *stacks, const struct profile_views *views, profile_name step,
                        const struct counters *counters, size_t row) {
    size_t before = stacks->frame_count;
    memory_grow(&stacks->list, stacks->count, &stacks->room, sizeof *stacks->list);
    memory_grow(&stacks->rows, stacks->count, &stacks->row_room, sizeof *stacks->rows);
    add_frames(stacks, views, step);
    stacks->rows[stacks->count] = row;
    stacks->list[stacks->count++] =
        (struct report_stack){.frame_count = stacks->frame_count - before, .counters = *counters};
}

void profile_stacks_settle(struct profile_stacks *stacks, struct report_site *rows) {
    size_t first = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        struct report_stack *stack = &stacks->list[i];
        stack->site = &rows[stacks->rows[i]];
        stack->frames = stack->frame_count ? stacks->frames + first : NULL;
        first += stack->frame_count;
    }
}

void profile_stacks_free(struct profile_stacks *stacks) {
    free(stacks->list);
    free(stacks->rows);
    free(stacks->frames);
}
