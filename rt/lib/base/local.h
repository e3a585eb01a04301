/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime inside: how an allocation is counted, and what is kept for a thread.
 *
 * THEORY OF OPERATION
 *
 * Words. A *site* is an allocator call in the source; the plugin gives each a descriptor (rt/format.h) and
 * calls `__liballocsite_v1_malloc(n, site)` where the source calls `malloc(n)`. An allocation that comes
 * without one is *unsited* and is counted for its caller, the return address. A *slot* is the dense index of
 * a site or of such a caller, or of a part of one of these (registry/registry.h), given at first use; its
 * *key* is that index in the place where an entry of the shadow table holds it. A *tally* is what one thread
 * counts for a slot; a *slab* is one thread's array of tallies. The *owner* of a block is the slot that
 * produced it last.
 *
 * Counting. Only its own thread writes a slab, with plain `add`s to memory: no lock, no atomic operation,
 * and a signal handler that allocates between any two instructions loses nothing. The totals of a slot are
 * the sum over all slabs that ever were. Slabs are never zeroed: the slab of a thread that ended is
 * handed to the next new thread, which counts on in it, so memory follows the number of threads that lived
 * at once.
 *
 * Owners. Whoever frees a block, in whichever thread, finds its owner and size in the shadow table
 * (heap/shadow.h) and counts them in a tally of his own for that owner. A block is entered when the allocator
 * has given it and taken out before the allocator gets it back, so that in between nobody else has that
 * address.
 *
 * One test. The hot path compares the site's key, or the entry of the block that is freed, with the capacity
 * of the thread's slab. A site that is not registered yet has the highest key there is, a block that was
 * freed an entry above all keys; a thread without a slab, a thread of a forked child, a thread whose every
 * event is to be looked at and a runtime that is off have capacity 0. All of these take the slow path, which
 * sorts them out, and the rest never tests for them. So are those whose stacks are kept (paths/stacks.h):
 * their key has KEY_SLOW, which puts it above all capacities, while the keys of their blocks' entries do not.
 *
 * Fork. Thread structures and slabs lie in memory that the kernel wipes in a forked child (MADV_WIPEONFORK),
 * however it was forked. All-zero is their valid initial state, so a child just counts from zero. Sites
 * keep their slots and blocks their owners: what a child has that it did not allocate it has inherited, and
 * what that was is the difference between its blocks and its counts. A child of vfork shares the memory and
 * counts for its parent.
 *
 * Thread exit. The thread's key destructor hands its slab on and marks the thread as ending. Whatever it
 * still allocates afterwards, in destructors of other keys, borrows a slab for one count at a time.
 *
 * Scopes. Memory that a library function allocates on behalf of a site (asprintf, operator new of another
 * library) is billed to the site: its entry opens a scope, and the interposed malloc bills to the innermost
 * one. A scope is a value in thread-local memory, never a pointer into a stack frame, so that a longjmp out
 * of it leaves at worst a stale attribution and never a stale pointer.
 *
 * Peak: count/tally.h, count/peak.c.
 *
 * Holes. An event that cannot be counted sets a bit (enum hole, model/holes.h), and the report then says
 * `exact: no` with the reason. */
#ifndef ALLOCSITE_LIB_BASE_LOCAL_H
#define ALLOCSITE_LIB_BASE_LOCAL_H

#include "lib/base/slot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally;
struct extra;
struct runtime_stack;

/* A byte of the hash is the index: an index of 8 bits takes no instruction to cut off. */
#define CONTEXTS_LATELY 256

#define SCOPE_BLOCKS    8

struct billed {
    const void *p;
    uint64_t bytes;
};

/* Each on cache lines of its own: every event writes it. The hot path has its address at hand, so whatever is
 * too large for thread-local memory is here too. A forked child finds all of it zero. */
struct thread {
    uint32_t capacity; /* the key of the last slot in the slab: keys from KEY(1) to below fit; 0: no slab yet,
                          wiped by fork, or nothing is to be counted here now */
    uint32_t index;    /* among all threads at once */
    struct tally *tallies;
    int64_t room;            /* live bytes of this thread - ceiling */
    int64_t ceiling;         /* with one thread the peak, or out of reach during a rise */
    int64_t looked;          /* the epoch in which it last looked at the peak */
    int64_t measured;        /* its live bytes at the last measure of all */
    int64_t at_peak;         /* ... and at the one that found the peak */
    struct extra *extras;    /* of the same slots, as far as extra_capacity goes */
    uint32_t extra_capacity; /* as capacity */
    uint32_t slab;           /* number of the slab that is counted in */
    uint32_t slabs;          /* number + 1 of the first one that the thread has; 0: none */
    uint32_t held;           /* what capacity is where it is not 0 to turn the thread away */
    uint32_t next_idle;      /* index + 1 of the next one on the list of idle threads; 0: last */
    uint32_t turns;          /* how often it was taken or given back: odd while somebody counts in it */
    bool asked_back; /* for what its live bytes need not rise by; capacity was set to 0 for it to see */
    uint32_t contexts_lately[CONTEXTS_LATELY]; /* distance of each from the first context, in bytes
                                                  (paths/contexts.h) */
    uint32_t billed_count;              /* blocks billed to the scope that lifts others or to one alone */
    struct billed billed[SCOPE_BLOCKS]; /* the first ones of them */
} __attribute__((aligned(128)));

/* The hot path's view of a thread that it is not to count for: it has room for no key. */
extern struct thread no_thread __attribute__((visibility("hidden")));

/* To whom the interposed allocator bills what it is asked for in this thread. */
struct scope {
    uint32_t slot;
    bool active;
    bool lifts;    /* sited calls inside are billed to slot too */
    bool counted;  /* something inside has been billed */
    bool failed;   /* something inside has failed */
    size_t bill;   /* an allocation of this size inside, ... */
    size_t expect; /* ... or up to this one where the callee rounds, is billed as bill */
    enum family family;
    const void *beyond; /* on the stack, in the frame that opened it: those below are the callee's */
};

/* The thread's own stack as far as it is known to be readable (base/stack.h); empty: not known. */
struct own_stack {
    uintptr_t low, high;
    uintptr_t hole;  /* nothing below it is part of the stack */
    uint64_t spread; /* high, times STACK_SPREAD */
};

/* Of the product of this and ALLOCSITE_CONTEXT_FACTOR no multiple by a distance on a stack, from 16 bytes to
 * 8 GiB, is within 16 GiB of zero. 32 bits, which an instruction has room for. */
#define STACK_SPREAD 0xFFFFFFFFA0B428DBu

/* A calling context that was here (paths/contexts.h). */
struct context_known {
    uint64_t hash; /* 0: none; written last, and once */
    uint32_t key;  /* of its part, or of the slot that has no room for that */
    int32_t next;  /* how far from here the context is that came after it, in bytes */
};

/* What a thread's last context is before it has one. */
extern struct context_known context_none __attribute__((visibility("hidden")));

/* The runtime's thread-local memory, nearly all of it. glibc keeps 1,664 bytes for the thread-local memory of
 * all libraries that are opened later, so arrays belong into struct thread. Compilers test neighbouring
 * members with one load: diverted, which every scope writes, has none of them, for a load of what was just
 * written in part waits until it is in the cache. */
struct local {
    struct thread *current; /* the hot path's view of what comes: own, or the empty one */
    struct thread *seen;    /* the same of what goes, whether sizes or lifetimes are asked for or not */
    struct thread *own;     /* NULL: none taken yet */
    bool silent;            /* what is allocated now is the runtime's doing: not counted */
    bool heard;             /* an interposed function was called in silence */
    bool resolving;         /* inside the look-up of the next functions */
    bool ending;            /* the thread's key destructor has run */
    bool holds_arena;       /* the lock of one (custom_alloc/arenas.h) */
    uint32_t custom;        /* custom allocators that are under way: what is allocated is their backing */
    uint32_t begun;         /* events that are being counted by a way on which the stack may end */
    const void *released; /* the block that an operator delete was called for and that is counted as freed */
    uint32_t releaser;    /* slot + 1 of the delete that is under way; 0: none */
    struct scope scope;
    const void *newest; /* with temporary=1: the block that was allocated last */
    struct own_stack stack;
    struct runtime_stack *runtime_stack; /* that the thread is on (base/stack.c); NULL: none */
    struct context_known *context_last;  /* the last one that was not among the thread's contexts_lately */
    bool diverted; /* silent or scope.active: an unsited allocation is not its module's */
};

extern __thread struct local local __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline uintptr_t thread_pointer(void) {
    uintptr_t tp;
    __asm__("movq %%fs:0, %0" : "=r"(tp)); /* clang before 17 has no builtin for it */
    return tp;
}

static inline void local_divert(void) {
    local.diverted = local.silent || local.scope.active;
}

/* Between the two stands what has happened and is not counted yet: who leaves them by a jump, as a handler of
 * the stack's overflow does, leaves it in part (scopes_leave). It begins before the first frame that the
 * allocator's own may not have made room for. */
static inline void event_begin(void) {
    __asm__ volatile("addl $1, %0" : "+m"(local.begun) : : "memory", "cc");
}

static inline void event_end(void) {
    __asm__ volatile("subl $1, %0" : "+m"(local.begun) : : "memory", "cc");
}

/* The same, and this thread's view. A compiler that knows the place from before the call would keep it in a
 * register, which has to be saved. */
#define EVENT_END_ANEW(member, result)                                                                       \
    __asm__ volatile("movq local@gottpoff(%%rip), %0\n\tsubl $1, %%fs:%c2(%0)\n\tmovq %%fs:%c1(%0), %0"      \
                     : "=&r"(result)                                                                         \
                     : "i"(offsetof(struct local, member)), "i"(offsetof(struct local, begun))               \
                     : "memory", "cc")

/* Between the two nothing is counted: what the C library allocates for a call of the runtime itself. */
bool silence_begin(void);
void silence_end(bool was_silent);

#endif
