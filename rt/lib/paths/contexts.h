/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calling contexts: stacks that are known without a walk.
 *
 * A function that was compiled with -fallocsite-contexts (a *marked* function) computes its number from its
 * caller's number, which it reads from `context`, and from its return address. It stores its number there
 * before each call that may allocate, or passes it to the entry (plugin/emit/contexts.cpp). So a number is a
 * hash of a sequence of return addresses. Each address belongs to a function that read the number which the
 * next function stored.
 *
 * The runtime never infers a stack from a number. It walks the stack first, and keeps it under its number
 * only if it is *certain*:
 *  - its frames are of marked functions, but for the at most three that start a program or a thread, and
 *  - taking its return addresses out of the number, one after the other, leaves what the first function of a
 *    thread finds (ALLOCSITE_CONTEXT_FIRST). Then the number was made of exactly these addresses.
 * If the same number comes again, it was made of the same addresses, and the stack is the same, whatever
 * happened in between. A function may find another number than its caller's: a signal handler has replaced
 * it, or other code has called back, or has switched to another stack, before it jumped to the function. But
 * then the function that stored this number was called by this other code, or through a signal's frame, or
 * runs on a stack that such code began. So the sequence of its addresses differs from that of every certain
 * stack. Functions whose frames a tail call has removed are not on the stack, and their addresses are not in
 * the number.
 *
 * All other stacks are compared word for word with an earlier walk of that number (paths/stack_cache.h), or
 * walked. Among them are those of coroutines with a stack of their own, of constructors that run after the
 * first one, and whatever other code calls.
 *
 * A stack is looked up by the number, the site, the depth on the thread's stack, the address that the runtime
 * returns to, and the unloads of modules so far, after which addresses mean other code. The hash has 64 bits:
 * with 2^17 contexts the chance that any two of them are taken for one is below 1 in 10^9. contexts_check=1
 * walks at every allocation, compares, and reports the walked stack.
 *
 * Contexts are stored in the order of their first use, and never change. Each thread keeps the positions of
 * its recent ones, by the lowest bits of their hashes. Because programs repeat themselves, a context that is
 * not among them is expected after the last one that was not, in memory that the processor has already
 * fetched. All others are found by a table of their hashes. If that is full, stacks are walked. */
#ifndef ALLOCSITE_LIB_PATHS_CONTEXTS_H
#define ALLOCSITE_LIB_PATHS_CONTEXTS_H

#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/registry/modules.h"
#include "lib/walk/walk.h"

#define context ALLOCSITE_ENTRY(context)

extern ALLOCSITE_EXPORT __thread uint64_t context __attribute__((tls_model("initial-exec")));

/* True if the hot path may count by contexts: a context exists, and no option needs the slow path. Before, no
 * thread has a last or recent context, so the hot path finds none without testing this variable. */
extern bool contexts_hot __attribute__((visibility("hidden")));

/* Returns false if memory is out. */
bool contexts_begin(void);

/* Return the number of a site, or of a caller without a site, in hashes. */
static inline uint64_t context_of_site(const struct allocsite_site *site) {
    return site->hash;
}

static inline uint64_t context_of_key(uint32_t key) {
    return (uint64_t)key << 32;
}

/* Returns the hash of an allocation. offset_of_caller: a context plus one of these two numbers. frame: the
 * frame of the function that the allocating function has called; its return address continues the context.
 * Return addresses within a module differ by less than the factor, and depths of the frame by multiples of
 * STACK_SPREAD (base/local.h), so that a change of one hardly ever cancels a change of the other. */
static inline uint64_t context_hash_of(uint64_t offset_of_caller, const void *frame) {
    uint64_t at = offset_of_caller + unloads_both() + local.stack.spread - (uintptr_t)frame * STACK_SPREAD;
    return at * ALLOCSITE_CONTEXT_FACTOR + ((const uintptr_t *)frame)[1];
}

static inline uint64_t context_hash(uint64_t caller_id, const void *frame) {
    return context_hash_of(context + caller_id, frame);
}

/* All contexts, or context_none. */
extern struct context_known *contexts_known __attribute__((visibility("hidden")));

/* In assembly, because compilers do not compare an atomic value directly in memory. */
static inline bool context_is(const struct context_known *known, uint64_t hash) {
    bool is_equal;
    __asm__ volatile("cmpq %1, %2" : "=@ccz"(is_equal) : "r"(hash), "m"(known->hash) : "memory");
    return is_equal;
}

/* Returns the key that the table has for the hash; ALLOCSITE_KEY_NONE if the context was not seen. */
uint32_t context_find(uint64_t hash);

/* Finds the key if the context is among the thread's recent ones, or if it came after the thread's last one
 * before. Otherwise returns false. thread: local.alloc_view, which the caller needs in any case. */
static inline bool context_guess(const struct thread *thread, uint64_t hash, uint32_t *key) {
    const char *first = (const char *)contexts_known;
    const struct context_known *lately =
        (const struct context_known *)(first + thread->contexts_lately[hash % CONTEXTS_LATELY]);
    if (LIKELY(context_is(lately, hash))) {
        *key = lately->key;
        return true;
    }
    struct context_known *last = local.context_last;
    last = (struct context_known *)((char *)last + __atomic_load_n(&last->next, __ATOMIC_RELAXED));
    if (UNLIKELY(!context_is(last, hash)))
        return false;
    local.context_last = last;
    *key = last->key;
    return true;
}

/* Keeps the key for this hash, if there is room. */
void context_keep(uint64_t hash, uint32_t key);

#endif
