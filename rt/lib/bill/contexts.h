/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts: stacks that are known without a walk.
 *
 * A function that was compiled with -fallocsite-contexts makes a number of what its caller has stored in
 * `context` and of the address that it returns to, and stores that before each call that may come to an
 * allocation (plugin/emit/contexts.cpp). So behind a return address in such code stands the number of the
 * very function that it returns to, and by induction the number of an allocation stands for all frames out to
 * the first one of other code. What a function finds that other code has called may be anyone's.
 *
 * A stack is therefore kept under its number only if no frame of the program is beyond such a one: when the
 * stack is whole, and ends within ROOT_MOST frames behind its last marked one (those that start a program, a
 * thread, a coroutine). All others are walked at each allocation.
 *
 * Looked up is, with the number and the slot, where on its thread's stack the allocation is, and what it
 * returns to. Between the store and the entry of the function called a signal handler may have come that did
 * not put back what it found, and a function of other code that leaves by a jump to another one may have
 * called back before: the number then is one that was used elsewhere, but at another depth, for whoever
 * stored it was called by what is still on the stack. So it is new here, and walked.
 *
 * The numbers have 64 bits, of which 63 count here: with 2^17 contexts the chance that any two of them are
 * taken for one is below 1 in 10^9. contexts_check=1 walks at every allocation, and compares.
 *
 * The table is a cache: whatever is replaced in it is walked again and found to be the same part of its slot.
 * There are three tables, each eight times as large as the one before, so that a program of few contexts
 * touches few pages. The hot path looks into one word of the present one; the other words of its line, and
 * the tables before, are looked through where that has another context. */
#ifndef ALLOCSITE_LIB_BILL_CONTEXTS_H
#define ALLOCSITE_LIB_BILL_CONTEXTS_H

#include "base/hash.h"
#include "format.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/walk/reads.h"
#include "lib/walk/walk.h"
#include "lib/who/unloads.h"

#define context ALLOCSITE_ENTRY(context)

extern ALLOCSITE_EXPORT __thread uint64_t context __attribute__((tls_model("initial-exec")));

#define CONTEXT_SLOT ((UINT64_C(1) << SLOT_BITS) - 1)

/* The tables: that of so many words begins with the word of that number. An entry is the part's slot below
 * what its hash has there. NULL: there are none. */
extern uint64_t *contexts __attribute__((visibility("hidden")));
extern uint64_t contexts_size __attribute__((visibility("hidden")));

/* Whether there is anything in them, and nothing but a look into them is asked for. */
extern bool contexts_hot __attribute__((visibility("hidden")));

/* There is no room for more; set where they are hot. */
extern bool contexts_full __attribute__((visibility("hidden")));

/* False: no memory. */
bool contexts_begin(void);

/* frame: of a function that the allocation's caller has called, or a function of the runtime. */
static inline uint64_t context_hash(uint32_t key, const void *frame) {
    uint64_t depth = walk_known.high - (uintptr_t)frame, back = ((const uintptr_t *)frame)[1];
    return hash_more(context + (back << 32 | back >> 32) + ((uint64_t)unloads_begun() << 40),
                     depth << 32 | key);
}

/* The part's slot, or the slot that has no room for this one; 0: it was not here lately. */
static inline uint32_t context_in(uint64_t entry, uint64_t hash) {
    return (entry ^ hash) & ~CONTEXT_SLOT ? 0 : (uint32_t)(entry & CONTEXT_SLOT);
}

static inline uint32_t context_seen(uint64_t hash) {
    uint64_t size = __atomic_load_n(&contexts_size, __ATOMIC_RELAXED);
    return context_in(__atomic_load_n(&contexts[size | (hash & (size - 1))], __ATOMIC_RELAXED), hash);
}

/* The same in the rest of the tables. */
uint32_t context_find(uint64_t hash);

void context_keep(uint64_t hash, uint32_t part);

#endif
