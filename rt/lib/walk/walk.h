/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling frames of the program: the function that called the runtime, its caller, and so on.
 *
 * Each return address has a rule, which says where its function's frame ends and where the caller's registers
 * are. A rule comes from the unwind tables (.eh_frame) of the module that holds the address. The dynamic
 * loader finds these tables without a lock (_dl_find_object, glibc 2.35). The process keeps each rule in one
 * word of a table. The first walk over an address takes less than 1 microsecond for that frame, later ones
 * some 25 instructions. A function that keeps a frame pointer has a rule that follows it. Code without tables
 * (assembly, code made at run time, other machines than x86-64, an older C library) has its frame pointer
 * followed if the value can be one.
 *
 * Safe in signal handlers and in all threads at once; no locks, no allocation; keeps errno. The content of
 * the stack is not trusted. A word is read only where the current stack is known to be readable, and each
 * frame must end above the previous one. At worst a damaged stack or a wrong table ends the walk early or
 * shows a wrong frame. */
#ifndef ALLOCSITE_LIB_WALK_WALK_H
#define ALLOCSITE_LIB_WALK_WALK_H

#include "cfi/cfi.h"
#include "format.h"
#include "lib/base/local.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum walk_end {
    WALK_FULL,      /* max frames were written, there may be more */
    WALK_OUTERMOST, /* reached the thread's first function, which has no caller */
    WALK_LOST,      /* ended early: the caller of the last frame is unknown */
};

/* Writes at most max return addresses, innermost first, and returns their number. The runtime's own frames
 * are left out: the first address is where the outermost runtime function returns to.
 *
 * The byte before an address is part of the instruction that the frame is at, also for a frame that a signal
 * has interrupted. */
size_t walk_stack(const void **frames, size_t max, enum walk_end *);

/* Like walk_stack, for the runtime's own functions. It is faster because it skips some of their frames.
 * pointer: __builtin_frame_address(0) of an active runtime function. */
size_t walk_stack_from(const void *pointer, const void **frames, size_t max, enum walk_end *);

/* Like walk_stack, but tracks all registers and does not use the table of rules: about 1 microsecond for each
 * frame. Needed if a frame is described by another register or an expression, or if a signal arrived just
 * before a function returned. */
size_t walk_fully(const void **frames, size_t max, enum walk_end *);

/* Takes the registers of a runtime function and replaces them by the registers of the program's function that
 * called the runtime, at that call: the call-preserved registers, the stack pointer, and an address within
 * the call. If the outermost runtime function is the exit handler with this frame, the result is the call of
 * exit or quick_exit instead: the innermost of these functions of the C library (0: not known). Returns
 * false, and leaves the registers unchanged, if the caller is unknown. */
struct walk_exit {
    uintptr_t frame; /* __builtin_frame_address(0) of the exit handler; 0: none */
    uintptr_t functions[2];
};
bool walk_to_program(uintptr_t registers[CFI_REGISTERS], const struct walk_exit *);

/* Stores the registers of the current function. The values are valid until it returns. */
#define WALK_REGISTERS(registers)                                                                            \
    __asm__ volatile("movq %%rbx, 24(%0); movq %%rbp, 48(%0); movq %%rsp, 56(%0); movq %%r12, 96(%0);"       \
                     "movq %%r13, 104(%0); movq %%r14, 112(%0); movq %%r15, 120(%0);"                        \
                     "leaq 0(%%rip), %%rax; movq %%rax, 128(%0)"                                             \
                     :                                                                                       \
                     : "r"(registers)                                                                        \
                     : "rax", "memory")

/* A word that a walk reads. below: its distance in bytes from the end of the thread's own stack. */
struct walk_note {
    uint32_t below;
    bool is_place; /* the word is an address on the stack, stored as its distance from the end */
    uintptr_t word;
};

/* Returns the words that decide the result of walk_stack_from for this number of frames (SIZE_MAX: all): the
 * walk gives the same frames while these words are unchanged and no module is unloaded. Writes and returns
 * their number; 0 if the walk is not on the thread's own stack, ends early, or needs more than max words. */
size_t walk_notes(const void *pointer, size_t frames, struct walk_note *notes, size_t max);

/* Returns whether the function of a return address keeps its calling context. */
bool walk_keeps_context(const void *frame);

/* Returns whether its function can be the line of an allocation: it keeps contexts, is not pass-through. */
bool walk_is_line(const void *frame);

/* Returns whether the function of a return address neither keeps its context nor belongs to the runtime. */
bool walk_is_foreign(const void *frame);

/* Returns whether a signal handler returns to this address. */
bool walk_is_signal(const void *frame);

/* Forgets the rules of all addresses. Called when a module is unloaded, because its addresses may become
 * other code (registry/modules.h). */
void walk_forget(void);

/* ---- The part of the stack that a walk may read.
 *
 * A walk reads upwards from its start. Memory between there and the end of the thread's own stack stays
 * mapped as long as the thread runs, so it is proven readable once, with one system call for each page. Other
 * stacks (sigaltstack, makecontext) may be unmapped at any time. On such a stack every walk takes a system
 * call for each page, and the kernel copies the words. */

struct walk_reads {
    uintptr_t begin, end; /* begin: for readers that do not read upwards in order */
    bool is_whole;        /* end is the end of the stack: nothing above it is read */
};

void walk_reads_find(struct walk_reads *, uintptr_t sp);

/* sp must be readable. Reads high first and only once: a signal handler may be the first to set it. */
static inline void walk_reads_begin(struct walk_reads *reads, uintptr_t sp) {
    uintptr_t high = __atomic_load_n(&local.stack.high, __ATOMIC_ACQUIRE);
    *reads = (struct walk_reads){sp, high, true};
    if (__builtin_expect(sp >= high || sp < local.stack.low, 0))
        walk_reads_find(reads, sp);
}

/* Continues the walk at another stack pointer, perhaps on another stack. Returns false if that memory is not
 * known to be readable. walk_reads_move_below includes the red zone below sp. */
bool walk_reads_move(struct walk_reads *, uintptr_t sp);
bool walk_reads_move_below(struct walk_reads *, uintptr_t sp);

/* Makes the words below end readable. Returns false if they are not. */
bool walk_reads_reach(struct walk_reads *, uintptr_t end);

/* Returns whether the words from begin to end are readable and not below sp, the start of the walk or a later
 * stack pointer. end - begin is less than 1 MiB. */
static inline bool walk_reads_have(struct walk_reads *reads, uintptr_t sp, uintptr_t begin, uintptr_t end) {
    if (__builtin_expect(begin - sp < reads->end - sp && end <= reads->end, 1))
        return true;
    return begin >= sp && end > begin && walk_reads_reach(reads, end);
}

static inline uintptr_t walk_word(uintptr_t at) {
    typedef uintptr_t __attribute__((may_alias)) word;
    return *(const word *)at;
}

#endif
