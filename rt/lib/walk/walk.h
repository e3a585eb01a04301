/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling frames of the program: who called the runtime, who called that, and so on.
 *
 * Every return address has a rule, which tells where the frame of its function ends and what its caller's
 * registers were. It comes from the unwind tables (.eh_frame) of the module that holds the address, found
 * without a lock through the dynamic loader (_dl_find_object, glibc 2.35), and is kept in one word of a table
 * of the process: the next walk takes some 25 instructions for that frame, the first one less than 1
 * microsecond. Where a function keeps a frame pointer its rule is to follow it; where code has no tables
 * (assembly, code made at run time, other machines than x86-64, an older C library) the frame pointer is
 * followed if it can be one.
 *
 * Safe in signal handlers and in all threads at once; no locks, no allocation; keeps errno. The content of
 * the stack is not trusted: a word is read only where the calling thread's stack, or whatever stack it runs
 * on now, is known to be readable, and each frame must end above the one before. The worst that a damaged
 * stack or a wrong table can do is to end the walk early or to show a wrong frame. */
#ifndef ALLOCSITE_LIB_WALK_WALK_H
#define ALLOCSITE_LIB_WALK_WALK_H

#include "cfi/cfi.h"
#include "format.h"
#include "lib/base/local.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum walk_end {
    WALK_FULL,      /* max frames, there may be more */
    WALK_OUTERMOST, /* the thread's first function, which nobody called */
    WALK_LOST,      /* early: nothing tells who called the last frame */
};

/* Fills in at most max return addresses, innermost first, and returns how many. They begin behind the
 * runtime's own frames: the first is the one that the runtime's function returns to. beyond: an address on
 * the stack, frames that end below it are passed over too; NULL: none. So the walk from within a scope begins
 * at the caller of the function that opened it, if that function notes the address of a local variable.
 *
 * The byte before an address is in the instruction meant, also where a signal has interrupted one. */
size_t walk_stack(const void **frames, size_t max, const void *beyond, enum walk_end *);

/* The same for the runtime's own functions, and faster by some of their frames. pointer:
 * __builtin_frame_address(0) of one that is at work. */
size_t walk_stack_from(const void *pointer, const void **frames, size_t max, const void *beyond,
                       enum walk_end *);

/* As walk_stack, keeping track of all registers, for stacks that have something harder on them: a function
 * whose frame is told by another register or by an expression, or where a signal came just before it returns.
 * Without the table of rules: about 1 microsecond for each frame. */
size_t walk_fully(const void **frames, size_t max, const void *beyond, enum walk_end *);

/* Replaces the registers of one of the runtime's functions by those of the program's function that called the
 * runtime, at that call: those that calls preserve, the stack pointer, and an address within the call. If the
 * runtime's outermost function is the one with this frame, for a handler of exit(3), the call is that of the
 * innermost of these functions of the C library (exit, quick_exit; 0: not known) instead. False: the
 * registers are as before, for nothing tells who called. */
struct walk_exit {
    uintptr_t frame; /* __builtin_frame_address(0) of the handler; 0: there is none */
    uintptr_t functions[2];
};
bool walk_to_program(uintptr_t registers[CFI_REGISTERS], const struct walk_exit *);

/* The registers of the function that it stands in, as long as that is at work. */
#define WALK_REGISTERS(registers)                                                                            \
    __asm__ volatile("movq %%rbx, 24(%0); movq %%rbp, 48(%0); movq %%rsp, 56(%0); movq %%r12, 96(%0);"       \
                     "movq %%r13, 104(%0); movq %%r14, 112(%0); movq %%r15, 120(%0);"                        \
                     "leaq 0(%%rip), %%rax; movq %%rax, 128(%0)"                                             \
                     :                                                                                       \
                     : "r"(registers)                                                                        \
                     : "rax", "memory")

/* The number that a function has read, which has this one and returns to pc. */
static inline uint64_t context_callers(uint64_t of_function, uintptr_t pc) {
    return (of_function - pc) * ALLOCSITE_CONTEXT_INVERSE;
}

/* A frame of a function that keeps its calling context. */
struct walk_marked {
    uintptr_t pc;
    uintptr_t sp; /* at the call that returns there; of known ones 0: it is none */
    uint64_t context;
    uint32_t by_pointer; /* 1: its caller is found by following a frame pointer */
    uint32_t step, cut;  /* for whoever keeps it */
};

/* As walk_stack_from, from a function that was called by one whose context that is, as far as frames are of
 * such functions and nothing is in the way, and until one is of the same function at work as one of those
 * that are known, outermost first: so are all beyond, for its number stands for them. Only of the thread's
 * own stack. Returns how many were not known, at most max, which stand before end, outermost first. same: how
 * many of those that are known are beyond; 0: none. */
size_t walk_marked(const void *pointer, uint64_t context, const struct walk_marked *known, size_t count,
                   struct walk_marked *end, size_t max, size_t *same);

/* A word that a walk reads: so far below the end of the thread's own stack. */
struct walk_note {
    uint32_t below;
    bool is_place; /* a place on the stack, to be taken as far below the end, too */
    uintptr_t word;
};

/* The words that tell a walk as walk_stack_from's of so many frames (SIZE_MAX: all): as long as the same are
 * there, and no module has been unloaded, all comes out the same. Returns how many; 0: something is in the
 * way, it ends early, or there are more than max. Only of the thread's own stack. */
size_t walk_notes(const void *pointer, size_t frames, struct walk_note *notes, size_t max);

/* Whether the caller of that frame is found by following a frame pointer, and not by unwind tables. */
bool walk_is_by_pointer(const void *frame);

/* Whether the function that a return address is in keeps its calling context. */
bool walk_keeps_context(const void *frame);

/* Whether that function can be the line of an allocation: it keeps its context and does not pass through. */
bool walk_is_line(const void *frame);

/* Returns whether a return address is in a function that keeps no context and is not the runtime's. */
bool walk_is_foreign(const void *frame);

/* Whether it is that of what a signal handler returns to. */
bool walk_is_signal(const void *frame);

/* Forgets what is known of addresses, which may become other code's (registry/modules.h). */
void walk_forget(void);

/* ---- Which part of the stack a walk may read.
 *
 * A walk reads upwards from where it starts. Memory between there and the end of the thread's own stack is
 * mapped as long as the thread runs; it is proven once, page by page, with one system call for each. Of any
 * other stack (sigaltstack, makecontext) nothing is known for longer than the walk takes: a system call for
 * each page that it comes to, and from frame to frame the kernel reads the words. */

struct walk_reads {
    uintptr_t begin, end; /* begin: for who reads what is not in order */
    bool is_whole;        /* nothing behind end is to be read */
};

void walk_reads_find(struct walk_reads *, uintptr_t sp);

/* sp: a stack pointer whose page can be read. high is read once, and first: a signal handler may come that is
 * the first to walk. */
static inline void walk_reads_begin(struct walk_reads *reads, uintptr_t sp) {
    uintptr_t high = __atomic_load_n(&local.stack.high, __ATOMIC_ACQUIRE);
    *reads = (struct walk_reads){sp, high, true};
    if (__builtin_expect(sp >= high || sp < local.stack.low, 0))
        walk_reads_find(reads, sp);
}

/* The walk goes on at another stack pointer, perhaps on another stack. False: nothing is known to be there.
 * walk_reads_move_below: also with what stands just below it. */
bool walk_reads_move(struct walk_reads *, uintptr_t sp);
bool walk_reads_move_below(struct walk_reads *, uintptr_t sp);

/* Has the words before end readable. False: they are not. */
bool walk_reads_reach(struct walk_reads *, uintptr_t end);

/* Whether the words from begin to end are readable and not below sp, which is where the walk began or above.
 * end is less than a mebibyte behind begin. */
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
