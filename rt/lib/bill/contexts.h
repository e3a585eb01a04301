/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts: stacks that are known without a walk.
 *
 * A function that was compiled with -fallocsite-contexts makes a number of what its caller has stored in
 * `context` and of the address that it returns to, and stores that before each call that may come to an
 * allocation, or passes it to the entry (plugin/emit/contexts.cpp). So behind a return address in such code
 * stands the number of the very function that it returns to, and by induction the number of an allocation
 * stands for all frames out to the first one of other code. What a function finds that other code has called
 * may be anyone's.
 *
 * A stack is therefore kept under its number only if no frame of the program is beyond such a one: when the
 * stack is whole, and ends behind its last marked one within the frames that start a program or a thread. Of
 * a coroutine's that may be one alone, which the number is made of: its body, if that is other code, may come
 * to a call by several ways. Nor may a signal have come there, which finds such code at any instruction. All
 * other stacks are walked at each allocation.
 *
 * Looked up is, with the number and the slot, where on its thread's stack the allocation is, and what it
 * returns to. Between the store and the entry of the function called a signal handler may have come that did
 * not put back what it found, and a function of other code that leaves by a jump to another one may have
 * called back before: the number then is one that was used elsewhere, but at another depth, for whoever
 * stored it was called by what is still on the stack. So it is new here, and walked.
 *
 * The numbers have 64 bits: with 2^17 contexts the chance that any two of them are
 * taken for one is below 1 in 10^9. contexts_check=1 walks at every allocation, and compares.
 *
 * Contexts stand in the order in which they came first, and each notes which one came after it the last time:
 * programs repeat themselves, so most are found there, in memory that the processor has fetched in time. The
 * others are found by a table of their numbers. Both are a cache: whatever is replaced is walked again, and
 * found to be the same part of its slot. */
#ifndef ALLOCSITE_LIB_BILL_CONTEXTS_H
#define ALLOCSITE_LIB_BILL_CONTEXTS_H

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/walk/walk.h"
#include "lib/who/modules.h"

#define context ALLOCSITE_ENTRY(context)

extern ALLOCSITE_EXPORT __thread uint64_t context __attribute__((tls_model("initial-exec")));

/* Whether there are any, and nothing but a look at them is asked for. As long as that is not so none is any
 * thread's last one, so that the hot path, which does not ask, finds none. */
extern bool contexts_hot __attribute__((visibility("hidden")));

/* There is no room for more; set where they are hot. */
extern bool contexts_full __attribute__((visibility("hidden")));

/* False: no memory. */
bool contexts_begin(void);

/* Odd, and else of no structure. */
#define CONTEXT_SPREAD 0xE7037ED1A0B428DBu

/* frame: of a function that the allocation's caller has called, or a function of the
 * runtime. What it returns to goes on as the contexts do. The key stands above all that addresses within one
 * function differ in, which is what functions with the same caller differ in; depth is spread over all bits,
 * so that it takes the one difference of 2^64 in the former to make up for one in the latter. */
static inline uint64_t context_hash_of(uint64_t value, uint32_t key, const void *frame) {
    uint64_t depth = local.stack.high - (uintptr_t)frame, back = ((const uintptr_t *)frame)[1];
    uint64_t at = value + unloads_both() + ((uint64_t)key << 32);
    return at * ALLOCSITE_CONTEXT_FACTOR + back + depth * CONTEXT_SPREAD;
}

static inline uint64_t context_hash(uint32_t key, const void *frame) {
    return context_hash_of(context, key, frame);
}

/* Its key, if the place still is that of this one; else ALLOCSITE_KEY_NONE. With KEY_SLOW it is the slot's.
 */
static inline uint32_t context_key(const struct context_known *known, uint64_t hash) {
    if (__atomic_load_n(&known->hash, __ATOMIC_ACQUIRE) != hash)
        return ALLOCSITE_KEY_NONE;
    uint32_t key = __atomic_load_n(&known->key, __ATOMIC_ACQUIRE);
    return LIKELY(__atomic_load_n(&known->hash, __ATOMIC_RELAXED) == hash) ? key : ALLOCSITE_KEY_NONE;
}

/* The same by the table; ALLOCSITE_KEY_NONE: it was not here lately. */
uint32_t context_find(uint64_t hash);

/* The same, if it is the one that came after the thread's last one before; else otherwise. */
static inline uint32_t context_guessed(uint64_t hash, uint32_t otherwise) {
    struct context_known *last = local.context_last;
    struct context_known *known =
        (struct context_known *)((char *)last + __atomic_load_n(&last->next, __ATOMIC_RELAXED));
    if (UNLIKELY(__atomic_load_n(&known->hash, __ATOMIC_ACQUIRE) != hash))
        return otherwise;
    uint32_t key = __atomic_load_n(&known->key, __ATOMIC_ACQUIRE);
    local.context_last = known;
    return LIKELY(__atomic_load_n(&known->hash, __ATOMIC_RELAXED) == hash) ? key : otherwise;
}

void context_keep(uint64_t hash, uint32_t key);

#endif
