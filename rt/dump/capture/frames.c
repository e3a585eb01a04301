/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the frames of stacks with the unwind tables that modules have in memory. The rest of a stack after
 * the last known frame has no function. */
#include "cfi/cfi.h"

#include "dump/base/memory.h"
#include "dump/capture/search.h"
#include "dump/line/symbolize.h"

#include <stdlib.h>

enum { FRAMES_MAX = 10000, SIGNALS_MAX = 16, TABLES_MAX = 1 << 30 };

struct capture_walk {
    const struct capture_maps *maps;
    struct remote_memory *memory;
    const struct image *image; /* holds the stacks; NULL: they are read from the process */
    char **tables;             /* of each module, read from the process; NULL: absent or not read yet */
};

struct frames {
    struct capture_walk *walk;
    struct capture_frame *list; /* by thread */
    size_t count, capacity;
    uint32_t thread;
};

/* ---- Unwinding. */

static size_t module_at(const struct capture_maps *maps, uint64_t address) {
    size_t i = 0;
    while (i < maps->module_count && (address < maps->modules[i].begin || address >= maps->modules[i].end))
        i++;
    return i;
}

static const char *tables_of(struct capture_walk *walk, size_t number) {
    const struct capture_module *module = &walk->maps->modules[number];
    char **tables = &walk->tables[number];
    if (*tables || !module->tables_size || module->tables_size > TABLES_MAX)
        return *tables;
    *tables = memory_zeros(module->tables_size, 1);
    if (!remote_read(walk->memory, module->tables, *tables, module->tables_size)) {
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
static bool find_place(struct capture_walk *walk, uint64_t pc, struct code_place *place) {
    size_t number = module_at(walk->maps, pc);
    if (number == walk->maps->module_count)
        return false;
    const struct capture_module *module = &walk->maps->modules[number];
    const char *tables = tables_of(walk, number);
    if (!tables)
        return false;
    uintptr_t begin = (uintptr_t)tables, shift = begin - module->tables;
    place->tables = (struct cfi_tables){begin, begin + module->tables_size, module->header + shift};
    return cfi_find(&place->tables, pc + shift, &place->row);
}

static bool read_word(void *context, uintptr_t address, uintptr_t *word) {
    const struct capture_walk *walk = context;
    return walk->image ? image_read(walk->image, address, word, sizeof *word)
                       : remote_read(walk->memory, address, word, sizeof *word);
}

/* ---- Walking. */

struct position {
    uintptr_t registers[CFI_REGISTERS];
    uint64_t begin;
    unsigned signals;
    bool is_next; /* the address is the next instruction, not a return address */
};

/* A signal frame's return address is the start of a function (the signal trampoline), not after a call. */
static bool find_frame(struct capture_walk *walk, const struct position *at, struct code_place *place) {
    uint64_t pc = at->registers[CFI_RETURN];
    return find_place(walk, pc - !at->is_next, place) ||
           (!at->is_next && find_place(walk, pc, place) && place->row.is_signal_frame);
}

/* Moves to the caller. Each frame ends above the one before, except where a signal switched stacks: memory
 * saved for a signal belongs to the interrupted function. *frame: the frame that it leaves. */
static enum cfi_next step_to_caller(struct capture_walk *walk, struct position *at, struct cfi_frame *frame) {
    uint64_t address = at->registers[CFI_RETURN] + at->is_next, sp = at->registers[CFI_RSP];
    struct code_place place;
    enum cfi_next next = !find_frame(walk, at, &place) ? CFI_LOST
                                                       : cfi_step(&place.tables, &place.row, at->registers,
                                                                  &(struct cfi_memory){read_word, walk});
    uint64_t above = next == CFI_FOUND ? at->registers[CFI_RSP] : sp;
    at->is_next = next == CFI_FOUND && place.row.is_signal_frame;
    address = at->is_next ? at->registers[CFI_RETURN] + 1 : address;
    if (next == CFI_FOUND && (at->is_next ? ++at->signals > SIGNALS_MAX : above <= sp))
        next = CFI_LOST;
    *frame =
        (struct cfi_frame){at->begin, next == CFI_FOUND ? cfi_frame_end(&place.row, sp, above) : sp, address};
    at->begin = above;
    return next;
}

struct capture_walk *capture_walk_open(const struct capture_maps *maps, struct remote_memory *memory,
                                       const struct image *image) {
    struct capture_walk *walk = memory_zeros(1, sizeof *walk);
    *walk =
        (struct capture_walk){maps, memory, image, memory_zeros(maps->module_count, sizeof *walk->tables)};
    return walk;
}

void capture_walk_close(struct capture_walk *walk) {
    for (size_t i = 0; i < walk->maps->module_count; i++)
        free(walk->tables[i]);
    free(walk->tables);
    free(walk);
}

bool capture_walk_thread(struct capture_walk *walk, const struct stopped_thread *thread,
                         capture_frame_visitor *visit, void *context) {
    const struct user_regs_struct *registers = (const struct user_regs_struct *)thread->registers;
    struct position at = {.is_next = true, .begin = stop_stack_begin(thread)};
    enum cfi_next next = CFI_FOUND;
    if (thread->register_count * sizeof *thread->registers < sizeof *registers)
        return false;
    cfi_registers(at.registers, registers);
    for (unsigned i = 0; i < FRAMES_MAX && next == CFI_FOUND; i++) {
        struct cfi_frame frame;
        next = step_to_caller(walk, &at, &frame);
        if (!visit(context, &frame, next))
            return false;
    }
    return next == CFI_NONE;
}

/* Frames without a caller are not listed. */
static bool add_frame(void *context, const struct cfi_frame *frame, enum cfi_next next) {
    struct frames *frames = context;
    const struct capture_maps *maps = frames->walk->maps;
    if (next != CFI_FOUND)
        return true;
    size_t number = module_at(maps, frame->address - 1);
    memory_grow(&frames->list, frames->count, &frames->capacity, sizeof *frames->list);
    struct capture_frame *to = &frames->list[frames->count++];
    *to = (struct capture_frame){.begin = frame->begin, .end = frame->end, .thread = frames->thread};
    if (number < maps->module_count) {
        to->module = maps->modules[number].path;
        to->address = frame->address - maps->modules[number].base;
    }
    return true;
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
    struct capture_walk *walk = capture_walk_open(roots->maps, memory, roots->finder->image);
    struct frames frames = {.walk = walk};
    for (size_t i = 0; i < roots->stop->count; i++) {
        frames.thread = (uint32_t)roots->stop->threads[i].id;
        capture_walk_thread(walk, &roots->stop->threads[i], add_frame, &frames);
    }
    name_roots(graph, frames.list, frames.count, texts);
    capture_walk_close(walk);
    free(frames.list);
}
