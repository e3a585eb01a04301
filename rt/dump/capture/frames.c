/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the frames of stacks with the unwind tables that modules have in memory. The rest of a stack after
 * the last known frame has no function. */
#include "cfi/cfi.h"

#include "dump/base/memory.h"
#include "dump/capture/search.h"
#include "dump/line/symbolize.h"

#include <stdlib.h>

enum { FRAMES_MAX = 10000, SIGNALS_MAX = 16, TABLES_MAX = 1 << 30 };

struct frames {
    const struct capture_roots *roots;
    struct remote_memory *memory;
    char **tables;              /* of each module, read from the process; NULL: absent or not read yet */
    struct capture_frame *list; /* by thread */
    size_t count, room;
};

/* ---- Unwinding. */

static size_t module_at(const struct capture_maps *maps, uint64_t address) {
    size_t i = 0;
    while (i < maps->module_count && (address < maps->modules[i].begin || address >= maps->modules[i].end))
        i++;
    return i;
}

static const char *tables_of(struct frames *frames, size_t number) {
    const struct capture_module *module = &frames->roots->maps->modules[number];
    char **tables = &frames->tables[number];
    if (*tables || !module->tables_size || module->tables_size > TABLES_MAX)
        return *tables;
    *tables = memory_zeros(module->tables_size, 1);
    if (!remote_read(frames->memory, module->tables, *tables, module->tables_size)) {
        free(*tables);
        *tables = NULL;
    }
    return *tables;
}

/* The unwind information for a code address. */
struct code_place {
    struct cfi_tables tables;
    struct cfi_row row;
};

/* Tables use relative addresses, so the caller passes addresses relative to the copy. */
static bool find_place(struct frames *frames, uint64_t pc, struct code_place *place) {
    size_t number = module_at(frames->roots->maps, pc);
    if (number == frames->roots->maps->module_count)
        return false;
    const struct capture_module *module = &frames->roots->maps->modules[number];
    const char *tables = tables_of(frames, number);
    if (!tables)
        return false;
    uintptr_t begin = (uintptr_t)tables, shift = begin - module->tables;
    place->tables = (struct cfi_tables){begin, begin + module->tables_size, module->header + shift};
    return cfi_find(&place->tables, pc + shift, &place->row);
}

static bool read_word(void *context, uintptr_t address, uintptr_t *word) {
    const struct frames *frames = context;
    return image_read(frames->roots->finder->image, address, word, sizeof *word);
}

/* ---- Walking. */

static void add_frame(struct frames *frames, uint32_t thread, const struct cfi_frame *frame) {
    const struct capture_maps *maps = frames->roots->maps;
    size_t number = module_at(maps, frame->address - 1);
    memory_grow(&frames->list, frames->count, &frames->room, sizeof *frames->list);
    struct capture_frame *to = &frames->list[frames->count++];
    *to = (struct capture_frame){.begin = frame->begin, .end = frame->end, .thread = thread};
    if (number < maps->module_count) {
        to->module = maps->modules[number].path;
        to->address = frame->address - maps->modules[number].base;
    }
}

struct walk {
    uintptr_t registers[CFI_REGISTERS];
    uint64_t begin;
    uint32_t thread;
    unsigned signals;
    bool is_next; /* the address is the next instruction, not a return address */
};

/* A signal frame's return address is the start of a function (the signal trampoline), not after a call. */
static bool find_frame(struct frames *frames, const struct walk *walk, struct code_place *place) {
    uint64_t pc = walk->registers[CFI_RETURN];
    return find_place(frames, pc - !walk->is_next, place) ||
           (!walk->is_next && find_place(frames, pc, place) && place->row.is_signal_frame);
}

/* Moves to the caller. Each frame ends above the one before, except where a signal switched stacks: memory
 * saved for a signal belongs to the interrupted function. False: no caller, or no unwind information. */
static bool step_to_caller(struct frames *frames, struct walk *walk) {
    uint64_t address = walk->registers[CFI_RETURN] + walk->is_next, sp = walk->registers[CFI_RSP];
    struct code_place place;
    if (!find_frame(frames, walk, &place) || cfi_step(&place.tables, &place.row, walk->registers,
                                                      &(struct cfi_memory){read_word, frames}) != CFI_FOUND)
        return false;
    uint64_t above = walk->registers[CFI_RSP];
    walk->is_next = place.row.is_signal_frame;
    address = walk->is_next ? walk->registers[CFI_RETURN] + 1 : address;
    if (walk->is_next ? ++walk->signals > SIGNALS_MAX : above <= sp)
        return false;
    add_frame(frames, walk->thread,
              &(struct cfi_frame){walk->begin, cfi_frame_end(&place.row, sp, above), address});
    walk->begin = above;
    return true;
}

static void walk_up(struct frames *frames, const struct stopped_thread *thread) {
    const struct user_regs_struct *registers = (const struct user_regs_struct *)thread->registers;
    struct walk walk = {.thread = (uint32_t)thread->id, .is_next = true, .begin = stop_stack_begin(thread)};
    if (thread->register_count * sizeof *thread->registers < sizeof *registers)
        return;
    cfi_registers(walk.registers, registers);
    for (unsigned i = 0; i < FRAMES_MAX && step_to_caller(frames, &walk); i++)
        ;
}

/* ---- The functions of frames. */

/* The first frame of the root's thread that contains it. NULL: none. */
static const struct capture_frame *frame_of_root(const struct capture_frame *frames, size_t count,
                                                 const struct graph_root *root) {
    for (size_t i = 0; i < count; i++)
        if (frames[i].thread == root->thread && frames[i].begin <= root->offset &&
            root->offset < frames[i].end)
            return &frames[i];
    return NULL;
}

static void name_root(struct graph_root *root, const char *function, struct string_pool *texts) {
    if (function)
        root->label = (uint32_t)string_number(texts, function);
}

/* Symbolizes frames as the rows of a temporary report. */
static void symbolize_frames(struct symbolizer *symbolizer, struct report_site *rows,
                             const struct capture_frame *frames, size_t count) {
    struct report report = {.site_count = count, .sites = memory_zeros(count, sizeof *report.sites)};
    for (size_t i = 0; i < count; i++) {
        rows[i].view = (struct site_view){.module = frames[i].module};
        rows[i].view.address = frames[i].module ? frames[i].address : 0;
        report.sites[i] = &rows[i];
    }
    symbolize_report(symbolizer, &report);
    free(report.sites);
}

static void name_roots(struct graph *graph, const struct capture_frame *frames, size_t count,
                       struct string_pool *texts) {
    struct symbolizer symbolizer = {.is_quiet = true};
    struct report_site *rows = memory_zeros(count, sizeof *rows);
    symbolize_frames(&symbolizer, rows, frames, count);
    for (size_t i = 0; i < graph->root_count; i++) {
        struct graph_root *root = &graph->roots[i];
        const struct capture_frame *frame =
            root->kind == GRAPH_STACK ? frame_of_root(frames, count, root) : NULL;
        if (frame)
            name_root(root, site_code(&rows[frame - frames].view), texts);
        root->offset = root->kind == GRAPH_STACK ? 0 : root->offset;
    }
    symbolizer_free(&symbolizer);
    free(rows);
}

void capture_frames(struct graph *graph, const struct capture_roots *roots, struct remote_memory *memory,
                    struct string_pool *texts) {
    struct frames frames = {.roots = roots, .memory = memory};
    frames.tables = memory_zeros(roots->maps->module_count, sizeof *frames.tables);
    for (size_t i = 0; i < roots->stop->count; i++)
        walk_up(&frames, &roots->stop->threads[i]);
    name_roots(graph, frames.list, frames.count, texts);
    for (size_t i = 0; i < roots->maps->module_count; i++)
        free(frames.tables[i]);
    free(frames.tables);
    free(frames.list);
}
