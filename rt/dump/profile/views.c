/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Decodes the records of a profile's slots. */
#include "dump/profile/views.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/base/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Names and inline chains of a profile. */

/* No name has an offset in later chunks. */
enum { CHUNKS = 18 };
_Static_assert(PROFILE_NAMES_FIRST *((UINT64_C(1) << CHUNKS) - 1) >= UINT32_MAX - PROFILE_NAMES_FIRST,
               "no name has a higher offset");

/* Bytes in holes of the file stay zero and take no memory. */
static void copy_chunk(struct profile_names *names, const struct profile_areas *areas, unsigned number) {
    const struct profile_chunk *chunk = &areas->chunks[PROFILE_NAMES][number];
    char *to = names->chunks[number] = memory_zeros(chunk->size, 1);
    for (struct extent part = {0}; profile_chunk_next(areas, chunk, 1, &part);)
        memcpy(to + part.begin, chunk->bytes + part.begin, part.end - part.begin);
    names->sizes[number] = chunk->size;
}

void profile_names_read(struct profile_names *names, const struct profile_areas *areas) {
    *names = (struct profile_names){.places_left = areas->extents->size / 4};
    for (unsigned i = 0; i < CHUNKS; i++)
        if (areas->chunks[PROFILE_NAMES][i].bytes)
            copy_chunk(names, areas, i);
}

void profile_names_free(struct profile_names *names) {
    for (unsigned i = 0; i < PROFILE_CHUNKS; i++)
        free(names->chunks[i]);
    for (size_t i = 0; i < names->chains.count; i++)
        free((struct profile_chain *)(uintptr_t)names->chains.list[i].value);
    number_map_free(&names->chains);
    string_pool_free(&names->demangled);
}

/* Address of `size` bytes of the names; NULL: not in the file. */
static const char *names_at(const struct profile_names *names, profile_name offset, size_t size) {
    struct chunk_place at = chunk_place(PROFILE_NAMES_FIRST, offset);
    if (at.chunk >= PROFILE_CHUNKS || !names->chunks[at.chunk] || names->sizes[at.chunk] < size ||
        at.offset > names->sizes[at.chunk] - size)
        return NULL;
    return names->chunks[at.chunk] + at.offset;
}

const char *profile_name_at(struct profile_names *names, profile_name offset) {
    const char *name = offset ? names_at(names, offset, 1) : NULL;
    names->wrong += offset && !name;
    return name;
}

/* The runtime stores mangled symbols. */
static const char *function_at(struct profile_names *names, profile_name offset) {
    const char *symbol = profile_name_at(names, offset);
    char *demangled = name_demangle(symbol);
    const char *function = demangled ? string_keep(&names->demangled, demangled) : symbol;
    free(demangled);
    return function;
}

static size_t read_places(struct profile_names *names, profile_name offset, struct place *places) {
    size_t count = 0;
    for (; offset; count++) {
        struct profile_frame frame;
        const char *at = offset % 4 ? NULL : names_at(names, offset, sizeof frame);
        if (!at || count == PROFILE_CHAIN_MAX || !names->places_left) {
            names->wrong++;
            return count;
        }
        memcpy(&frame, at, sizeof frame);
        names->places_left--;
        places[count] = (struct place){.line = frame.line, .column = frame.column};
        places[count].function = profile_name_at(names, frame.function);
        places[count].file = profile_name_at(names, frame.file);
        offset = frame.caller;
    }
    return count;
}

/* Parts of a site share its chain. */
const struct profile_chain *profile_chain_read(struct profile_names *names, profile_name frame) {
    struct place places[PROFILE_CHAIN_MAX];
    const uint64_t *known = number_map_find(&names->chains, frame);
    if (known)
        return (const struct profile_chain *)(uintptr_t)*known;
    size_t count = read_places(names, frame, places);
    struct profile_chain *chain = memory_need(malloc(sizeof *chain + count * sizeof *places));
    chain->count = count;
    memcpy(chain->places, places, count * sizeof *places);
    number_map_add(&names->chains, frame, (uintptr_t)chain);
    return chain;
}

static bool read_aligned(const struct profile_names *names, profile_name offset, void *to, size_t size) {
    const char *at = !offset || offset % 4 ? NULL : names_at(names, offset, size);
    if (at)
        memcpy(to, at, size);
    return at;
}

/* A frame link and its return address. */
struct whole_step {
    profile_name caller;
    struct profile_return to;
};

/* False: the reference is invalid. */
static bool profile_step_read(const struct profile_names *names, profile_name offset,
                              struct whole_step *whole) {
    struct profile_step step;
    if (!read_aligned(names, offset, &step, sizeof step))
        return false;
    whole->caller = step.caller;
    return read_aligned(names, step.to, &whole->to, sizeof whole->to);
}

/* ---- The modules that a profile names. */

static void add_module(struct profile_modules *modules, struct profile_names *names,
                       const struct profile_record *record, uint64_t slot) {
    struct report_module module = {.path = profile_name_at(names, record->file),
                                   .build_id = profile_name_at(names, record->build_id)};
    if (!module.path)
        return;
    memory_grow(&modules->list, modules->count, &modules->capacity, sizeof *modules->list);
    memory_grow(&modules->slots, modules->count, &modules->slot_capacity, sizeof *modules->slots);
    modules->slots[modules->count] = slot;
    modules->list[modules->count++] = module;
}

static void read_chunk(struct profile_modules *modules, struct profile_names *names,
                       const struct profile_areas *areas, const struct profile_chunk *chunk, uint64_t first) {
    struct profile_record record;
    for (struct extent part = {0}; profile_chunk_next(areas, chunk, sizeof record, &part);)
        for (uint64_t at = part.begin; at < part.end; at += sizeof record) {
            profile_copy(&record, chunk->bytes + at, sizeof record);
            if (record.what == PROFILE_MODULE)
                add_module(modules, names, &record, first + at / sizeof record);
        }
}

static bool is_same(const struct report_module *a, const struct report_module *b) {
    return is_same_text(a->path, b->path) && is_same_text(a->build_id, b->build_id);
}

void profile_modules_read(struct profile_modules *modules, struct profile_names *names,
                          const struct profile_areas *areas) {
    for (unsigned i = 0; i < PROFILE_CHUNKS; i++)
        read_chunk(modules, names, areas, &areas->chunks[PROFILE_RECORDS][i],
                   chunk_start(PROFILE_RECORDS_FIRST, i));
    struct report_module *sorted = modules->sorted =
        memory_copy(modules->list, modules->count * sizeof *sorted);
    modules_sort(sorted, modules->count);
    for (size_t i = 0; i < modules->count; i++)
        if (module_is_file(sorted[i].path) &&
            (!modules->sorted_count || !is_same(&sorted[modules->sorted_count - 1], &sorted[i])))
            sorted[modules->sorted_count++] = sorted[i];
}

/* The module of the slot; NULL: none. */
static const struct report_module *profile_module_at(const struct profile_modules *modules, uint64_t slot) {
    size_t first = sorted_below(modules->slots, modules->count, sizeof *modules->slots, 0, slot);
    return first < modules->count && modules->slots[first] == slot ? &modules->list[first] : NULL;
}

void profile_modules_free(struct profile_modules *modules) {
    free(modules->slots);
    free(modules->sorted);
    free(modules->list);
}

/* ---- Records. */

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

/* A stack is a part of a whole or of chunks, and chunks are a part of a whole, so there are no cycles. */
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
    view->is_mapping = what == PROFILE_MAPPED;
    view->is_outside_totals = what == PROFILE_CUSTOM_CHUNK || view->is_mapping;
    if (view->is_outside_totals)
        what = read_record(record, views->areas, record->parent);
    if (is_whole(what))
        view->what = is_stack                  ? PROFILE_STACK
                     : view->is_outside_totals ? PROFILE_CUSTOM_CHUNK
                                               : (enum profile_what)what;
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
    row->at.function = function_at(views->names, record->function);
}

static void view_site(struct site_view *row, struct profile_names *names,
                      const struct profile_record *record) {
    row->sited = true;
    row->at.file = profile_name_at(names, record->file);
    row->at.line = record->line;
    row->at.column = record->column;
    row->callee = profile_name_at(names, record->callee);
    row->type = profile_name_at(names, record->type);
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
    *row = (struct site_view){
        .id = record->id, .outside_totals = view->is_outside_totals, .mapping = view->is_mapping};
    if (record->what == PROFILE_MODULE)
        view_module(row, views, record);
    else
        view_in_module(row, views, record);
    if (record->what == PROFILE_SITE)
        view_site(row, views->names, record);
}

/* ---- The calling frames of a profile. */

static void add_frame(struct profile_stacks *stacks, const struct profile_views *views,
                      const struct whole_step *step) {
    memory_grow(&stacks->frames, stacks->frame_count, &stacks->frame_capacity, sizeof *stacks->frames);
    struct report_frame *frame = &stacks->frames[stacks->frame_count++];
    *frame = (struct report_frame){
        .module = step->to.module ? profile_module_at(views->modules, step->to.module) : NULL,
        .address = step->to.address[0] | (uint64_t)step->to.address[1] << 32,
    };
    if (report_is_cut(frame))
        frame->function = REPORT_CUT;
}

/* A frame link has a higher offset than its caller's. A damaged link could form a cycle. */
static void add_frames(struct profile_stacks *stacks, const struct profile_views *views, profile_name step) {
    size_t most = stacks->frame_count < PROFILE_FRAMES_MAX ? PROFILE_FRAMES_MAX : PROFILE_STEPS_MAX;
    struct whole_step copy;
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
                        const struct report_site *counted, size_t row) {
    size_t before = stacks->frame_count;
    memory_grow(&stacks->list, stacks->count, &stacks->capacity, sizeof *stacks->list);
    memory_grow(&stacks->rows, stacks->count, &stacks->row_capacity, sizeof *stacks->rows);
    add_frames(stacks, views, step);
    stacks->rows[stacks->count] = row;
    stacks->list[stacks->count++] = (struct report_stack){
        .frame_count = stacks->frame_count - before,
        .counters = counted->counters,
    };
}

void profile_stacks_end(struct profile_stacks *stacks, const struct profile_views *views, profile_name step,
                        struct report_run *run) {
    size_t before = stacks->frame_count;
    add_frames(stacks, views, step);
    run->frame_count = stacks->frame_count - before;
    run->frames = run->frame_count ? stacks->frames + before : NULL;
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

/* ---- Allocations in each phase. */

static bool want_threads;

void profile_threads_are_phases(bool are_wanted) {
    want_threads = are_wanted;
}

/* All zero: unknown. */
static struct profile_block block_of(const struct profile_areas *areas, uint32_t number) {
    const unsigned char *at = profile_element(areas, PROFILE_BLOCKS, number);
    struct profile_block block = {.phase = 0};
    if (at)
        profile_copy(&block, at, sizeof block);
    return block;
}

void profile_phases_want(struct profile_phases *phases, struct profile_sweep *sweep) {
    for (size_t i = 0; i < sweep->flow_count && !sweep->areas->header.resets; i++) {
        struct profile_block block = block_of(sweep->areas, sweep->flows[i].block);
        phases->has_threads |= want_threads && block.thread != 0;
        sweep->wants_gains |= phases->has_threads || block.phase != 0;
    }
}

static void put_phase(struct profile_phases *phases, const struct report_phase *phase, size_t row,
                      size_t stack) {
    memory_grow(&phases->list, phases->count, &phases->capacity, sizeof *phases->list);
    memory_grow(&phases->places, phases->count, &phases->place_capacity, sizeof *phases->places);
    phases->places[phases->count] = (struct profile_phase_place){row, stack};
    phases->list[phases->count++] = *phase;
}

/* Takes the text. */
static const char *keep_label(struct profile_phases *phases, char *text) {
    const char *label = string_keep(&phases->labels, text);
    free(text);
    return label;
}

void profile_phases_add(struct profile_phases *phases, const struct profile_sweep *sweep,
                        struct profile_names *names, size_t row, size_t stack) {
    uint64_t pid = sweep->areas->header.pid;
    for (size_t i = 0; i < sweep->gain_count; i++) {
        const struct profile_gain *gain = &sweep->gains[i];
        struct profile_block block = block_of(sweep->areas, gain->block);
        const char *phase = profile_name_at(names, block.phase);
        struct report_phase part = {.phase = phase, .calls = gain->blocks, .bytes = gain->bytes};
        if (phase && want_threads)
            part.phase = keep_label(phases, memory_text("phase %s", phase));
        if (phase)
            put_phase(phases, &part, row, stack);
        if (!phases->has_threads)
            continue;
        part.phase = keep_label(phases, memory_text("thread %u of process %" PRIu64, block.thread, pid));
        put_phase(phases, &part, row, stack);
    }
}

void profile_phases_settle(struct profile_phases *phases, struct report_site *rows,
                           struct report_stack *stacks) {
    for (size_t i = 0; i < phases->count; i++) {
        const struct profile_phase_place *place = &phases->places[i];
        phases->list[i].site = &rows[place->row];
        phases->list[i].stack = place->stack == SIZE_MAX ? NULL : &stacks[place->stack];
    }
}

void profile_phases_free(struct profile_phases *phases) {
    free(phases->list);
    free(phases->places);
    string_pool_free(&phases->labels);
}
