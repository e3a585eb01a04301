/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* From frame to frame with all registers. */
#include "lib/walk/walk.h"

#include "lib/walk/module.h"
#include "lib/walk/reads.h"
#include "lib/walk/rule.h"

#include <string.h>

struct full_frame {
    uintptr_t registers[CFI_REGISTERS];
    bool is_interrupted; /* its address is that of the next instruction, not of what is behind a call */
    struct walk_reads reads;
    unsigned signals;
};

enum next { NEXT_FOUND, NEXT_NONE, NEXT_LOST };

static bool read_word(void *context, uintptr_t at, uintptr_t *word) {
    struct full_frame *frame = context;
    if (at % sizeof(void *) != 0 ||
        !walk_reads_have(&frame->reads, frame->reads.begin, at, at + sizeof(void *)))
        return false;
    *word = walk_word(at);
    return true;
}

static bool find_cfa(const struct cfi_tables *tables, const struct cfi_row *row, struct full_frame *frame,
                     uintptr_t *cfa) {
    const struct cfi_rule *rule = &row->cfa;
    struct cfi_memory memory = {read_word, frame};
    if (rule->kind == CFI_IS_EXPRESSION)
        return cfi_evaluate(tables, rule->value, frame->registers, NULL, &memory, cfa);
    *cfa = frame->registers[rule->base] + (uintptr_t)(intptr_t)rule->value;
    return rule->kind == CFI_IS;
}

/* The value that a register has in the caller. */
static bool find_register(const struct cfi_tables *tables, const struct cfi_rule *rule,
                          struct full_frame *frame, uintptr_t cfa, uintptr_t *value) {
    struct cfi_memory memory = {read_word, frame};
    uintptr_t place = cfa + (uintptr_t)(intptr_t)rule->value;
    switch ((enum cfi_kind)rule->kind) {
    case CFI_SAME:
    case CFI_UNDEFINED:
        return true;
    case CFI_AT:
        return read_word(frame, place, value);
    case CFI_IS:
        *value = place;
        return true;
    case CFI_REGISTER:
        *value = frame->registers[(uint32_t)rule->value < CFI_REGISTERS ? rule->value : CFI_RETURN];
        return (uint32_t)rule->value < CFI_REGISTERS;
    case CFI_AT_EXPRESSION:
        return cfi_evaluate(tables, rule->value, frame->registers, &cfa, &memory, &place) &&
               read_word(frame, place, value);
    case CFI_IS_EXPRESSION:
        return cfi_evaluate(tables, rule->value, frame->registers, &cfa, &memory, value);
    }
    return false;
}

static bool enter(struct full_frame *frame, const uintptr_t registers[CFI_REGISTERS], bool was_signal) {
    uintptr_t sp = registers[CFI_RSP];
    if (was_signal ? ++frame->signals > SIGNALS_MOST || !walk_reads_move_below(&frame->reads, sp)
                   : sp <= frame->registers[CFI_RSP])
        return false;
    memcpy(frame->registers, registers, sizeof frame->registers);
    frame->is_interrupted = was_signal;
    return true;
}

static enum next next_by_row(const struct cfi_tables *tables, const struct cfi_row *row,
                             struct full_frame *frame) {
    uintptr_t registers[CFI_REGISTERS], cfa;
    if (row->registers[CFI_RETURN].kind == CFI_UNDEFINED)
        return NEXT_NONE;
    if (row->registers[CFI_RETURN].kind == CFI_SAME || !find_cfa(tables, row, frame, &cfa))
        return NEXT_LOST;
    memcpy(registers, frame->registers, sizeof registers);
    registers[CFI_RSP] = cfa;
    for (unsigned i = 0; i < CFI_REGISTERS; i++)
        if (!find_register(tables, &row->registers[i], frame, cfa, &registers[i]))
            return NEXT_LOST;
    return enter(frame, registers, row->is_signal_frame) ? NEXT_FOUND : NEXT_LOST;
}

static enum next next_by_pointer(struct full_frame *frame) {
    uintptr_t registers[CFI_REGISTERS], at = frame->registers[CFI_RBP];
    if (!at)
        return NEXT_NONE;
    memcpy(registers, frame->registers, sizeof registers);
    registers[CFI_RSP] = at + 2 * sizeof(void *);
    bool found = at >= frame->registers[CFI_RSP] && read_word(frame, at, &registers[CFI_RBP]) &&
                 read_word(frame, at + sizeof(void *), &registers[CFI_RETURN]) &&
                 enter(frame, registers, false);
    return found ? NEXT_FOUND : NEXT_LOST;
}

static enum next next(struct full_frame *frame, const struct walk_place *place) {
    switch (place->frame) {
    case WALK_TOLD:
        return next_by_row(&place->tables, &place->row, frame);
    case WALK_BEGUN:
        return NEXT_NONE;
    default:
        return next_by_pointer(frame);
    }
}

struct walk {
    const void **frames;
    size_t count, max;
    uintptr_t beyond;
};

static void take(struct walk *walk, const struct full_frame *frame) {
    uintptr_t pc = frame->registers[CFI_RETURN] + frame->is_interrupted;
    if (walk_is_own(pc) || frame->registers[CFI_RSP] <= walk->beyond)
        return;
    walk->beyond = 0; /* a signal's frame leads to another stack */
    walk->frames[walk->count++] = (const void *)pc;
}

static enum walk_end walk_up(struct walk *walk, struct full_frame *frame) {
    struct walk_place place;
    walk_place_find(&place, frame->registers[CFI_RETURN], true);
    while (walk->count < walk->max) {
        enum next found = next(frame, &place);
        if (found != NEXT_FOUND)
            return found == NEXT_NONE ? WALK_OUTERMOST : WALK_LOST;
        uintptr_t pc = frame->registers[CFI_RETURN];
        if (!rule_is_address(pc))
            return pc || frame->is_interrupted ? WALK_LOST : WALK_OUTERMOST;
        walk_place_find(&place, pc, frame->is_interrupted);
        if (place.where == WALK_DATA)
            return WALK_LOST;
        take(walk, frame);
    }
    return WALK_FULL;
}

/* This function's own registers, by their numbers. */
#if defined __x86_64__
#define CAPTURE(registers)                                                                                   \
    __asm__ volatile("movq %%rbx, 24(%0); movq %%rbp, 48(%0); movq %%rsp, 56(%0); movq %%r12, 96(%0);"       \
                     "movq %%r13, 104(%0); movq %%r14, 112(%0); movq %%r15, 120(%0);"                        \
                     "leaq 0(%%rip), %%rax; movq %%rax, 128(%0)"                                             \
                     :                                                                                       \
                     : "r"(registers)                                                                        \
                     : "rax", "memory")
#else /* unwind tables are not read, and without them no rule is hard */
#define CAPTURE(registers) ((void)(registers))
#endif

__attribute__((noinline)) size_t walk_fully(const void **frames, size_t max, const void *beyond,
                                            enum walk_end *end) {
    struct walk walk = {.frames = frames, .max = max, .beyond = (uintptr_t)beyond};
    struct full_frame frame = {.is_interrupted = true};
    CAPTURE(frame.registers);
    walk_reads_begin(&frame.reads, frame.registers[CFI_RSP]);
    *end = walk_up(&walk, &frame);
    return walk.count;
}
