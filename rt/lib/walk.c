/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The walk from frame to frame, as fast as it gets. */
#include "walk.h"
#include "os.h"
#include "walk_fully.h"
#include "walk_reads.h"
#include "walk_rule.h"

struct frame {
    uintptr_t pc, sp, fp;
};

/* This function's own. */
#if defined __x86_64__
#define CAPTURE(frame)                                                                                       \
    __asm__ volatile("leaq 0(%%rip), %0; movq %%rsp, %1; movq %%rbp, %2"                                     \
                     : "=&r"((frame).pc), "=&r"((frame).sp), "=&r"((frame).fp))
#else
#define CAPTURE(frame)                                                                                       \
    ((frame).fp = (frame).sp = (uintptr_t)__builtin_frame_address(0), (frame).pc = (uintptr_t)walk_stack + 1)
#endif

/* On other stacks than the thread's own the kernel reads: another thread may unmap what lies behind one. */
static inline bool read_word(const struct walk_reads *reads, uintptr_t at, uintptr_t *word) {
    if (UNLIKELY(!reads->is_whole))
        return os_read((const void *)at, word);
    *word = walk_word(at);
    return true;
}

/* saved: where the caller's frame pointer is; the return address: it was not saved. */
static inline bool step_to(struct frame *frame, uintptr_t cfa, uintptr_t saved, struct walk_reads *reads) {
    if (UNLIKELY(cfa % sizeof(void *) != 0 || !walk_reads_have(reads, frame->sp, saved, cfa)))
        return false;
    uintptr_t pc, fp = frame->fp;
    if (!read_word(reads, cfa - sizeof(void *), &pc) ||
        (saved != cfa - sizeof(void *) && !read_word(reads, saved, &fp)))
        return false;
    *frame = (struct frame){walk_code_address(pc), cfa, fp};
    return true;
}

/* Goes to the caller. False: its frame is not to be read, or does not lie above. Which register tells is left
 * to the processor to predict: to choose a value it would have to wait for the rule. So is, of code with
 * frame pointers, that it has nothing else to tell: then frames are read as fast as pointers are followed. */
static inline bool step(struct frame *frame, uint32_t rule, struct walk_reads *reads) {
    if ((rule & ~RULE_OWN) == RULE_MAKE(RULE_POINTER, 2, 2))
        return step_to(frame, frame->fp + 2 * sizeof(void *), frame->fp, reads);
    uintptr_t cfa = frame->fp + rule_offset(rule);
    if (rule_kind(rule) == RULE_SP) {
        cfa = frame->sp + rule_offset(rule);
        __asm__("" : "+r"(cfa));
    }
    return step_to(frame, cfa, cfa - rule_saved(rule), reads);
}

/* What changes with each frame, to stand in registers. */
struct taken {
    const void **next, **full;
    uint32_t by_pointer, signals;
};

/* before: the rule that led to the frame. */
static inline void take(struct taken *taken, const struct frame *frame, uintptr_t beyond, uint32_t before,
                        uint32_t rule) {
    if (rule & RULE_OWN || frame->sp <= beyond)
        return;
    *taken->next++ = (const void *)frame->pc;
    taken->by_pointer += rule_kind(before) >= RULE_POINTER;
}

static bool walk_behind_signal(struct taken *, uintptr_t sp, uintptr_t beyond, struct walk_reads *,
                               enum walk_end *);

/* False: it gets too hard. */
static inline bool walk_on(struct taken *taken, struct frame frame, uintptr_t beyond,
                           struct walk_reads *reads, enum walk_end *end, uint32_t rule) {
    *end = WALK_LOST;
    while (LIKELY(rule_kind(rule) < RULE_OUTERMOST)) {
        if (taken->next == taken->full) {
            *end = WALK_FULL;
            return true;
        }
        if (UNLIKELY(!step(&frame, rule, reads)))
            break;
        uint32_t before = rule;
        rule = rule_at(frame.pc);
        if (LIKELY(rule_kind(rule) <= RULE_OUTERMOST) || rule_is_signal(rule))
            take(taken, &frame, beyond, before, rule);
    }
    if (UNLIKELY(rule_is_signal(rule)))
        return walk_behind_signal(taken, frame.sp, beyond, reads, end);
    if (rule_kind(rule) == RULE_OUTERMOST || (rule_kind(rule) == RULE_GUESS && !frame.fp) || !frame.pc)
        *end = WALK_OUTERMOST;
    return rule_kind(rule) != RULE_HARD;
}

/* To what a signal has interrupted, perhaps on another stack. Its address is that of the next instruction;
 * one more is behind that, as return addresses are behind their calls. */
static COLD bool walk_behind_signal(struct taken *taken, uintptr_t sp, uintptr_t beyond,
                                    struct walk_reads *reads, enum walk_end *end) {
    bool is_full = taken->next == taken->full;
    *end = is_full ? WALK_FULL : WALK_LOST;
    if (is_full || taken->signals++ == SIGNALS_MOST || !walk_reads_have(reads, sp, sp, sp + SIGNAL_SIZE))
        return true;
    struct frame frame = {.pc = walk_word(sp + SIGNAL_PC) + 1,
                          .sp = walk_word(sp + SIGNAL_SP),
                          .fp = walk_word(sp + SIGNAL_FP)};
    if (!walk_reads_move(reads, frame.sp))
        return true;
    uint32_t rule = rule_at(frame.pc);
    beyond = sp > beyond ? 0 : beyond; /* which is on another stack then */
    if (rule_kind(rule) <= RULE_OUTERMOST || rule_is_signal(rule))
        take(taken, &frame, beyond, RULE_UNKNOWN, rule);
    return walk_on(taken, frame, beyond, reads, end, rule);
}

__attribute__((noinline)) size_t walk_stack(const void **frames, size_t max, const void *beyond,
                                            struct walk_told *told) {
    struct taken taken = {frames, frames + max, 0, 0};
    struct walk_reads reads;
    struct frame frame;
    CAPTURE(frame);
    walk_reads_begin(&reads, frame.sp);
    if (UNLIKELY(!walk_on(&taken, frame, (uintptr_t)beyond, &reads, &told->end, rule_at(frame.pc))))
        return walk_fully(frames, max, beyond, told);
    told->by_pointer = taken.by_pointer;
    return (size_t)(taken.next - frames);
}

__attribute__((noinline)) size_t walk_stack_from(const void *pointer, const void **frames, size_t max,
                                                 const void *beyond, struct walk_told *told) {
    struct taken taken = {frames, frames + max, 0, 0};
    struct frame frame = {.fp = (uintptr_t)pointer, .sp = (uintptr_t)__builtin_frame_address(0)};
    struct walk_reads reads;
    uint32_t own = RULE_MAKE(RULE_POINTER, 2, 2) | RULE_OWN;
    walk_reads_begin(&reads, frame.sp);
    if (UNLIKELY(!walk_on(&taken, frame, (uintptr_t)beyond, &reads, &told->end, own)))
        return walk_fully(frames, max, beyond, told);
    told->by_pointer = taken.by_pointer;
    return (size_t)(taken.next - frames);
}
