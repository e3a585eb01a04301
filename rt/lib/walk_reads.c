/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Proving that pages of stacks can be read. */
#define _GNU_SOURCE
#include "walk_reads.h"
#include "os.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE ((uintptr_t)4096) /* or a part of one */

/* How far from its end a thread's stack may be used. The kernel keeps that much clear for the first one's
 * (mmap_base, "MIN_GAP"). Another one's own end is at its thread-local memory, and farther down than this
 * nobody's is. */
#define FIRST_STACK_MOST  ((uintptr_t)128 << 20)
#define THREAD_STACK_MOST ((uintptr_t)1 << 30)

/* Below the stack pointer: where a function that has been interrupted just before it returns had saved
 * registers. */
#define RED_ZONE ((uintptr_t)128)

/* A step over more than this is none. */
#define STEP_MOST ((uintptr_t)1 << 20)

__thread struct walk_stack_known walk_known;

/* The kernel puts these bytes behind the arguments, above the first frame. */
static uintptr_t first_stack_end(void) {
    static uintptr_t end;
    if (!end)
        end = getauxval(AT_RANDOM);
    return end;
}

/* Of the thread's own stack, if sp may be on that. */
static uintptr_t stack_end(uintptr_t sp) {
    if (first_stack_end() - sp < FIRST_STACK_MOST)
        return first_stack_end();
    uintptr_t end = (uintptr_t)&walk_known;
    return end - sp < THREAD_STACK_MOST ? end : 0;
}

/* high is written last: a signal handler may come at any time, and walk. */
static void begin_stack(uintptr_t end) {
    bool is_first_thread = syscall(SYS_gettid) == os_process();
    walk_known.low = end & -PAGE;
    walk_known.hole = is_first_thread && end != first_stack_end() ? walk_known.low : 0;
    __atomic_store_n(&walk_known.high, end, __ATOMIC_RELEASE);
}

/* Goes down from what is known to sp. */
static bool prove(uintptr_t sp, uintptr_t end) {
    if (!walk_known.high)
        begin_stack(end);
    if (walk_known.high != end)
        return false;
    while (sp < walk_known.low) {
        uintptr_t page = walk_known.low - PAGE;
        if (page < walk_known.hole)
            return false;
        if (!os_can_read((const void *)page)) {
            walk_known.hole = walk_known.low;
            return false;
        }
        walk_known.low = page;
    }
    return true;
}

void walk_reads_find(struct walk_reads *reads, uintptr_t sp) {
    uintptr_t end = stack_end(sp);
    bool is_own = end && prove(sp, end);
    *reads = (struct walk_reads){sp, is_own ? end : (sp & -PAGE) + PAGE, is_own};
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
