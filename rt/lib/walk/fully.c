/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The walk that tracks all registers. */
#include "lib/walk/walk.h"

#include "cfi/cfi.h"
#include "lib/base/os.h"
#include "lib/walk/rule.h"

#include <string.h>

struct full_frame {
    uintptr_t registers[CFI_REGISTERS];
    bool is_interrupted; /* its address is the next instruction, not a return address */
    struct walk_reads reads;
    bool is_careful; /* check each word with the kernel, on every stack */
    unsigned stacks; /* stacks visited so far */
};

/* The walk can start on a stack of the runtime (base/stack.c). The frame that switched to it is on another
 * stack and outside of `reads`. */
static bool read_word(void *context, uintptr_t at, uintptr_t *word) {
    struct full_frame *frame = context;
    bool is_known =
        !frame->is_careful && walk_reads_have(&frame->reads, frame->reads.begin, at, at + sizeof(void *));
    if (at % sizeof(void *) != 0 || (!is_known && !os_can_read((const void *)at)))
        return false;
    *word = walk_word(at);
    return true;
}

/* A signal's frame may lead to any stack. So may the frame of stack_call, which is marked as a signal's. */
static bool frame_change_stack(struct full_frame *frame, uintptr_t sp) {
    return ++frame->stacks <= SIGNALS_MOST && (frame->is_careful || walk_reads_move_below(&frame->reads, sp));
}

static bool frame_enter(struct full_frame *frame, const uintptr_t registers[CFI_REGISTERS], bool was_signal) {
    uintptr_t sp = registers[CFI_RSP];
    if (was_signal ? !frame_change_stack(frame, sp) : sp <= frame->registers[CFI_RSP])
        return false;
    memcpy(frame->registers, registers, sizeof frame->registers);
    frame->is_interrupted = was_signal;
    return true;
}

static enum cfi_next frame_next_by_row(const struct walk_place *place, struct full_frame *frame) {
    uintptr_t registers[CFI_REGISTERS];
    memcpy(registers, frame->registers, sizeof registers);
    enum cfi_next next =
        cfi_step(&place->tables, &place->row, registers, &(struct cfi_memory){read_word, frame});
    if (next != CFI_FOUND)
        return next;
    return frame_enter(frame, registers, place->row.is_signal_frame) ? CFI_FOUND : CFI_LOST;
}

static enum cfi_next frame_next_by_pointer(struct full_frame *frame) {
    uintptr_t registers[CFI_REGISTERS], at = frame->registers[CFI_RBP];
    if (!at)
        return CFI_NONE;
    memcpy(registers, frame->registers, sizeof registers);
    registers[CFI_RSP] = at + 2 * sizeof(void *);
    bool found = at >= frame->registers[CFI_RSP] && read_word(frame, at, &registers[CFI_RBP]) &&
                 read_word(frame, at + sizeof(void *), &registers[CFI_RETURN]) &&
                 frame_enter(frame, registers, false);
    return found ? CFI_FOUND : CFI_LOST;
}

static enum cfi_next frame_next(struct full_frame *frame, const struct walk_place *place) {
    switch (place->frame) {
    case WALK_HAS_ROW:
        return frame_next_by_row(place, frame);
    case WALK_FIRST:
        return CFI_NONE;
    default:
        return frame_next_by_pointer(frame);
    }
}

/* Goes to the caller, whose address must be in code or in no module. */
static enum cfi_next frame_next_place(struct full_frame *frame, struct walk_place *place) {
    enum cfi_next found = frame_next(frame, place);
    uintptr_t pc = frame->registers[CFI_RETURN];
    if (found != CFI_FOUND)
        return found;
    if (!rule_is_address(pc))
        return pc || frame->is_interrupted ? CFI_LOST : CFI_NONE;
    walk_place_find(place, pc, frame->is_interrupted);
    return place->where == WALK_DATA ? CFI_LOST : CFI_FOUND;
}

struct walk {
    const void **frames;
    size_t count, max;
};

static void frames_add(struct walk *walk, const struct full_frame *frame) {
    uintptr_t pc = frame->registers[CFI_RETURN] + frame->is_interrupted;
    if (!walk_is_runtime(pc))
        walk->frames[walk->count++] = (const void *)pc;
}

static enum walk_end walk_up(struct walk *walk, struct full_frame *frame) {
    struct walk_place place;
    walk_place_find(&place, frame->registers[CFI_RETURN], true);
    while (walk->count < walk->max) {
        enum cfi_next found = frame_next_place(frame, &place);
        if (found != CFI_FOUND)
            return found == CFI_NONE ? WALK_OUTERMOST : WALK_LOST;
        frames_add(walk, frame);
    }
    return WALK_FULL;
}

__attribute__((noinline)) size_t walk_fully(const void **frames, size_t max, enum walk_end *end) {
    struct walk walk = {.frames = frames, .max = max};
    struct full_frame frame = {.is_interrupted = true};
    WALK_REGISTERS(frame.registers);
    walk_reads_begin(&frame.reads, frame.registers[CFI_RSP]);
    *end = walk_up(&walk, &frame);
    return walk.count;
}

/* ---- Leaving the runtime's frames. */

/* The limit of the C library's frames between exit and a handler. */
enum { EXIT_FRAMES_MOST = 8 };

static void take_registers(uintptr_t registers[CFI_REGISTERS], const struct full_frame *frame) {
    memcpy(registers, frame->registers, sizeof frame->registers);
    registers[CFI_RETURN] -= !frame->is_interrupted;
}

static void leave_exit(uintptr_t registers[CFI_REGISTERS], struct full_frame *frame, struct walk_place *place,
                       const struct walk_exit *exit) {
    for (int i = 0; i < EXIT_FRAMES_MOST; i++) {
        bool is_exit = place->frame == WALK_HAS_ROW && place->row.begin &&
                       (place->row.begin == exit->functions[0] || place->row.begin == exit->functions[1]);
        if (frame_next_place(frame, place) != CFI_FOUND)
            return;
        if (is_exit) {
            take_registers(registers, frame);
            return;
        }
    }
}

bool walk_to_program(uintptr_t registers[CFI_REGISTERS], const struct walk_exit *exit) {
    struct full_frame frame = {.is_interrupted = true, .is_careful = true};
    struct walk_place place;
    memcpy(frame.registers, registers, sizeof frame.registers);
    walk_place_find(&place, frame.registers[CFI_RETURN], true);
    while (walk_is_runtime(frame.registers[CFI_RETURN]))
        if (frame_next_place(&frame, &place) != CFI_FOUND)
            return false;
    take_registers(registers, &frame);
    if (registers[CFI_RSP] == exit->frame + 2 * sizeof(void *))
        leave_exit(registers, &frame, &place, exit);
    return true;
}
