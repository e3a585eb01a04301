/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fast walk: it knows the program counter, the stack pointer and the frame pointer of each frame. */
#define _GNU_SOURCE
#include "lib/walk/walk.h"

#include "lib/base/macros.h"

#include "lib/base/os.h"
#include "lib/base/stack.h"
#include "lib/registry/callers.h"
#include "lib/registry/modules.h"
#include "lib/walk/marked.h"
#include "lib/walk/rule.h"

/* Captures the current function's frame. */
#define CAPTURE(frame)                                                                                       \
    __asm__ volatile("leaq 0(%%rip), %0; movq %%rsp, %1; movq %%rbp, %2"                                     \
                     : "=&r"((frame).pc), "=&r"((frame).sp), "=&r"((frame).fp))

/* Reads only the thread's own stack directly. Another thread may unmap any other stack, so os_read reads
 * those. */
static inline bool read_word(const struct walk_reads *reads, uintptr_t at, uintptr_t *word) {
    if (UNLIKELY(!reads->is_whole))
        return os_read((const void *)at, word);
    *word = walk_word(at);
    return true;
}

/* Goes to the caller. Returns false if the caller's frame is not readable or not above the current frame. */
static bool frame_step(struct frame *frame, uint32_t rule, struct walk_reads *reads) {
    uintptr_t cfa = (rule_kind(rule) == RULE_SP ? frame->sp : frame->fp) + rule_offset(rule);
    bool is_saved = rule_saves(rule);
    uintptr_t saved = is_saved ? rule_saved(rule, cfa) : cfa - sizeof(void *), pc, fp = frame->fp;
    if (cfa % sizeof(void *) != 0 || !walk_reads_have(reads, frame->sp, saved, cfa) ||
        !read_word(reads, cfa - sizeof(void *), &pc) || (is_saved && !read_word(reads, saved, &fp)))
        return false;
    *frame = (struct frame){pc, cfa, fp};
    return true;
}

struct frames_out {
    const void **next, **full;
    uint32_t signals;
};

static inline void frames_add(struct frames_out *taken, const struct frame *frame, uint32_t rule) {
    if (!(rule & RULE_RUNTIME))
        *taken->next++ = (const void *)frame->pc;
}

/* Walks consecutive frames of the program, some 25 instructions for each. Stops before the first frame that
 * is anything else, and returns the rule of the last frame walked. */
static inline uint32_t walk_plain(struct frames_out *taken, struct frame *at, uint32_t rule, uintptr_t end) {
    const void **next = taken->next, **full = taken->full;
    struct frame inner = *at, above = inner;
    while (next != full && frame_step_plain(&above, rule, end)) {
        uint64_t found = rule_kept(above.pc);
        if (found - 1 >= RULE_PLAIN_END - 1)
            break;
        *next++ = (const void *)above.pc;
        inner = above;
        rule = (uint32_t)found;
    }
    taken->next = next;
    at->sp = inner.sp;
    at->fp = inner.fp;
    return rule;
}

static bool walk_past_signal(struct frames_out *, uintptr_t sp, struct walk_reads *, enum walk_end *);

/* Walks until the end. Returns false if walk_fully is needed. */
static inline bool walk_on(struct frames_out *taken, struct frame frame, struct walk_reads *reads,
                           enum walk_end *end, uint32_t rule) {
    *end = WALK_LOST;
    while (LIKELY(rule_leads_on(rule))) {
        if (LIKELY(rule < RULE_PLAIN_END && reads->is_whole))
            rule = walk_plain(taken, &frame, rule, reads->end);
        if (!rule_leads_on(rule))
            break;
        if (taken->next == taken->full) {
            *end = WALK_FULL;
            return true;
        }
        if (UNLIKELY(!frame_step(&frame, rule, reads)))
            break;
        rule = rule_at(frame.pc);
        if (LIKELY(rule_kind(rule) < RULE_HARD) || rule_is_signal(rule))
            frames_add(taken, &frame, rule);
    }
    if (UNLIKELY(rule_is_signal(rule)))
        return walk_past_signal(taken, frame.sp, reads, end);
    if (rule_kind(rule) == RULE_OUTERMOST || (rule_kind(rule) == RULE_GUESS && !frame.fp) || !frame.pc)
        *end = WALK_OUTERMOST;
    return rule_kind(rule) != RULE_HARD;
}

/* Continues with the function that a signal has interrupted, perhaps on another stack. Its address is the
 * next instruction; adding 1 makes it look like a return address. */
static COLD bool walk_past_signal(struct frames_out *taken, uintptr_t sp, struct walk_reads *reads,
                                  enum walk_end *end) {
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
    if (rule_kind(rule) < RULE_HARD || rule_is_signal(rule))
        frames_add(taken, &frame, rule);
    return walk_on(taken, frame, reads, end, rule);
}

__attribute__((noinline)) size_t walk_stack(const void **frames, size_t max, enum walk_end *end) {
    struct frames_out taken = {frames, frames + max, 0};
    struct walk_reads reads;
    struct frame frame;
    CAPTURE(frame);
    walk_reads_begin(&reads, frame.sp);
    if (UNLIKELY(!walk_on(&taken, frame, &reads, end, rule_at(frame.pc))))
        return walk_fully(frames, max, end);
    return (size_t)(taken.next - frames);
}

__attribute__((noinline)) size_t walk_stack_from(const void *pointer, const void **frames, size_t max,
                                                 enum walk_end *end) {
    struct frames_out taken = {frames, frames + max, 0};
    struct frame frame = {.fp = (uintptr_t)pointer, .sp = (uintptr_t)pointer};
    struct walk_reads reads;
    uint32_t rule = RULE_OWN_FRAME;
    walk_reads_begin(&reads, frame.sp);
    if (LIKELY(reads.is_whole))
        rule = walk_plain(&taken, &frame, rule, reads.end);
    *end = rule_leads_on(rule) ? WALK_FULL : WALK_OUTERMOST;
    if (taken.next != taken.full && rule_leads_on(rule) &&
        UNLIKELY(!walk_on(&taken, frame, &reads, end, rule)))
        return walk_fully(frames, max, end);
    return (size_t)(taken.next - frames);
}

/* Returns the address that the current frame pointer was read from; 0 if it is the initial one. */
static uintptr_t pointer_from(const struct frame *before, const struct frame *now, uint32_t rule,
                              uintptr_t was) {
    if (rule >> RULE_KIND_AT)
        return before->fp;
    return rule_saves(rule) ? rule_saved(rule, now->sp) : was;
}

static struct walk_note word_note(uintptr_t at, bool is_place, uintptr_t end) {
    return (struct walk_note){(uint32_t)(end - at), is_place, walk_word(at) - (is_place ? end : 0)};
}

size_t walk_notes(const void *pointer, size_t frames, struct walk_note *notes, size_t max) {
    struct frame frame = {.fp = (uintptr_t)pointer, .sp = (uintptr_t)pointer};
    uint32_t rule = RULE_OWN_FRAME;
    struct walk_reads reads;
    uintptr_t from = 0;
    size_t count = 0;
    bool is_begun = false; /* the walk has left the runtime's own frames */
    walk_reads_begin(&reads, frame.sp);
    if (!reads.is_whole || reads.end - frame.sp > UINT32_MAX)
        return 0;
    while (rule < RULE_MAKE(RULE_OUTERMOST, 0, 0)) {
        struct frame before = frame;
        if (count + 2 > max || !frame_step_plain(&frame, rule, reads.end))
            return 0;
        if (rule >> RULE_KIND_AT && from)
            notes[count++] = word_note(from, true, reads.end);
        notes[count++] = word_note(frame.sp - sizeof(void *), false, reads.end);
        from = pointer_from(&before, &frame, rule, from);
        rule = rule_at(frame.pc);
        is_begun |= !(rule & RULE_RUNTIME);
        if (!(rule & RULE_RUNTIME) && --frames == 0)
            return count;
        rule &= is_begun ? ~RULE_CONTEXT : ~(RULE_CONTEXT | RULE_RUNTIME);
    }
    return rule_kind(rule) == RULE_OUTERMOST && !(rule & RULE_RUNTIME) ? count : 0;
}

bool walk_keeps_context(const void *frame) {
    return rule_at((uintptr_t)frame) & RULE_CONTEXT;
}

bool walk_is_line(const void *frame) {
    return (rule_at((uintptr_t)frame) & (RULE_CONTEXT | RULE_PASSES)) == RULE_CONTEXT;
}

bool walk_is_foreign(const void *frame) {
    return !(rule_at((uintptr_t)frame) & (RULE_CONTEXT | RULE_RUNTIME));
}

bool walk_is_signal(const void *frame) {
    return rule_is_signal(rule_at((uintptr_t)frame));
}

/* ---- The part of the stack that a walk may read. */

#define PAGE ((uintptr_t)4096) /* or a part of one */

/* The x86-64 ABI's red zone: a function interrupted just before it returns has its registers saved there. */
#define RED_ZONE ((uintptr_t)128)

/* The largest frame that a walk accepts. */
#define STEP_MOST ((uintptr_t)1 << 20)

void walk_reads_find(struct walk_reads *reads, uintptr_t sp) {
    uintptr_t end = stack_own_end(sp);
    *reads = (struct walk_reads){sp, end ? end : (sp & -PAGE) + PAGE, end};
}

bool walk_reads_move(struct walk_reads *reads, uintptr_t sp) {
    walk_reads_begin(reads, sp);
    return reads->is_whole || os_can_read((const void *)sp);
}

bool walk_reads_move_below(struct walk_reads *reads, uintptr_t sp) {
    return walk_reads_move(reads, sp - RED_ZONE) || walk_reads_move(reads, sp);
}

bool walk_reads_reach(struct walk_reads *reads, uintptr_t end) {
    if (reads->is_whole || end - reads->end > STEP_MOST)
        return false;
    for (; reads->end < end; reads->end += PAGE)
        if (!os_can_read((const void *)reads->end))
            return false;
    return true;
}

void unload_begin(void) {
    __atomic_fetch_add(&unloads.begun, 1, __ATOMIC_SEQ_CST);
    callers_forget();
    walk_forget();
}

void unload_end(void) {
    __atomic_fetch_add(&unloads.ended, 1, __ATOMIC_SEQ_CST);
}
