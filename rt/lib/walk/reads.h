/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which part of the stack a walk may read.
 *
 * A walk reads upwards from where it starts. Memory between there and the end of the thread's own stack is
 * mapped as long as the thread runs; it is proven once, page by page, with one system call for each. Of any
 * other stack (sigaltstack, makecontext) nothing is known for longer than the walk takes: a system call for
 * each page that it comes to, and from frame to frame the kernel reads the words. */
#ifndef ALLOCSITE_LIB_WALK_READS_H
#define ALLOCSITE_LIB_WALK_READS_H

#include "lib/base/local.h"

#include <stdbool.h>
#include <stdint.h>

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

/* A return address without the signature that a processor may have put into its upper bits. */
static inline uintptr_t walk_code_address(uintptr_t word) {
#if defined __aarch64__
    register uintptr_t x30 __asm__("x30") = word;
    __asm__("hint #7" : "+r"(x30)); /* xpaclri */
    return x30;
#else
    return word;
#endif
}

static inline uintptr_t walk_word(uintptr_t at) {
    typedef uintptr_t __attribute__((may_alias)) word;
    return *(const word *)at;
}

#endif
