/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The frames of stacks, by the unwind tables that modules have in memory. Where these end, what is further up
 * is the stack's. */
#include "cfi/cfi_entry.h"
#include "dump/base/memory.h"
#include "dump/capture/roots.h"
#include "dump/load/symbolize.h"

#include <stdlib.h>
#include <string.h>
#include <sys/user.h>

enum { FRAMES_MAX = 10000, TABLES_MAX = 1 << 30 };

struct frame {
    uint64_t end; /* of it, where the caller's stack begins */
    uint32_t thread;
    size_t row; /* of the report */
};

struct frames {
    const struct capture_roots *roots;
    struct remote_memory *memory;
    char **tables;      /* of each module, from its process; NULL: they are not there, or not read so far */
    struct frame *list; /* of one thread after the other, innermost first */
    size_t count, room;
    struct report_site *rows; /* for the functions */
    size_t row_room;
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

/* Tables speak of addresses by their distance, so these are as far from the copy as from where it comes from.
 */
static bool find_row(struct frames *frames, uint64_t pc, struct cfi_row *row) {
    size_t number = module_at(frames->roots->maps, pc);
    if (number == frames->roots->maps->module_count)
        return false;
    const struct capture_module *module = &frames->roots->maps->modules[number];
    const char *tables = tables_of(frames, number);
    if (!tables)
        return false;
    uintptr_t begin = (uintptr_t)tables, shift = begin - module->tables;
    const struct cfi_tables all = {begin, begin + module->tables_size, module->header + shift};
    return cfi_find(&all, pc + shift, row);
}

static bool read_word(const struct frames *frames, uint64_t address, uint64_t *word) {
    return image_read(frames->roots->finder->image, address, word, sizeof *word);
}

/* False: it is not known, or needs an expression. */
static bool restore(const struct frames *frames, const struct cfi_rule *rule, uint64_t cfa,
                    const uint64_t *registers, unsigned number, uint64_t *value) {
    *value = number == CFI_RSP ? cfa : registers[number];
    if (rule->kind == CFI_AT)
        return read_word(frames, cfa + (uint64_t)(int64_t)rule->value, value);
    if (rule->kind == CFI_IS)
        *value = cfa + (uint64_t)(int64_t)rule->value;
    return rule->kind == CFI_SAME || rule->kind == CFI_IS ||
           (rule->kind == CFI_UNDEFINED && number != CFI_RETURN);
}

/* To the caller. False: there is none, or nothing is known of it. */
static bool step(struct frames *frames, uint64_t registers[CFI_REGISTERS], bool is_first) {
    struct cfi_row row;
    uint64_t callers[CFI_REGISTERS];
    if (!find_row(frames, registers[CFI_RETURN] - !is_first, &row) || row.cfa.kind != CFI_IS ||
        row.cfa.base >= CFI_RETURN || row.registers[CFI_RETURN].kind != CFI_AT)
        return false;
    uint64_t cfa = registers[row.cfa.base] + (uint64_t)(int64_t)row.cfa.value;
    if (cfa <= registers[CFI_RSP])
        return false;
    for (unsigned i = 0; i < CFI_REGISTERS; i++)
        if (!restore(frames, &row.registers[i], cfa, registers, i, &callers[i]))
            return false;
    memcpy(registers, callers, sizeof callers);
    return true;
}

/* ---- Frames and their functions. */

static size_t add_row(struct frames *frames, uint64_t pc, bool is_first) {
    const struct capture_maps *maps = frames->roots->maps;
    size_t number = module_at(maps, pc);
    memory_grow(&frames->rows, frames->count, &frames->row_room, sizeof *frames->rows);
    struct report_site *row = &frames->rows[frames->count];
    *row = (struct report_site){.view.module = NULL};
    if (number < maps->module_count) {
        row->view.module = maps->modules[number].path;
        row->view.address = pc - maps->modules[number].base + is_first; /* as behind a call */
    }
    return frames->count;
}

static void walk(struct frames *frames, const struct stopped_thread *thread) {
    const struct user_regs_struct *from = (const struct user_regs_struct *)thread->registers;
    if (thread->register_count * sizeof *thread->registers < sizeof *from)
        return;
    uint64_t registers[CFI_REGISTERS] = {from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
                                         from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
                                         from->r12, from->r13, from->r14, from->r15, from->rip};
    for (unsigned i = 0; i < FRAMES_MAX; i++) {
        size_t row = add_row(frames, registers[CFI_RETURN], !i);
        if (!step(frames, registers, !i))
            return;
        memory_grow(&frames->list, frames->count, &frames->room, sizeof *frames->list);
        frames->list[frames->count++] = (struct frame){registers[CFI_RSP], (uint32_t)thread->id, row};
    }
}

static void name_functions(struct frames *frames) {
    struct symbolizer symbolizer = {.is_quiet = true};
    struct report report = {.site_count = frames->count};
    report.sites = memory_zeros(frames->count, sizeof *report.sites);
    for (size_t i = 0; i < frames->count; i++)
        report.sites[i] = &frames->rows[i];
    symbolize_report(&symbolizer, &report);
    for (size_t i = 0; i < frames->count; i++)
        frames->rows[i].view.type = string_keep(frames->roots->texts, frames->rows[i].view.at.function);
    symbolizer_free(&symbolizer);
    free(report.sites);
}

/* The first frame of the thread that ends behind it. */
static void name_root(const struct frames *frames, struct graph_root *root) {
    for (size_t i = 0; i < frames->count; i++) {
        const struct frame *frame = &frames->list[i];
        const char *function = frames->rows[frame->row].view.type;
        if (frame->thread != root->thread || root->offset >= frame->end)
            continue;
        if (function)
            root->label = (uint32_t)string_number(frames->roots->texts, function);
        return;
    }
}

void capture_frames(const struct capture_roots *roots, struct remote_memory *memory) {
    struct frames frames = {.roots = roots, .memory = memory};
    frames.tables = memory_zeros(roots->maps->module_count, sizeof *frames.tables);
    for (size_t i = 0; i < roots->stop->count; i++)
        walk(&frames, &roots->stop->threads[i]);
    name_functions(&frames);
    for (size_t i = 0; i < roots->graph->root_count; i++)
        if (roots->graph->roots[i].kind == GRAPH_STACK) {
            name_root(&frames, &roots->graph->roots[i]);
            roots->graph->roots[i].offset = 0;
        }
    for (size_t i = 0; i < roots->maps->module_count; i++)
        free(frames.tables[i]);
    free(frames.tables);
    free(frames.list);
    free(frames.rows);
}
