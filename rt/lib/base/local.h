/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's theory of operation, and the state that it keeps for each thread.
 *
 * THEORY OF OPERATION
 *
 * Words. A *site* is an allocator call in the source. The plugin gives each site a descriptor (rt/format.h)
 * and calls `__liballocsite_v1_malloc(n, site)` where the source calls `malloc(n)`. An allocation without a
 * site is *unsited*; it is counted for its *caller*, the return address. A *slot* is the dense index of a
 * site, of a caller, or of a part of either (registry/registry.h); it is assigned at first use. A *key* is a
 * slot shifted to the position that it has in an entry of the shadow table. A *tally* is one thread's counts
 * for a slot, a *slab* one thread's array of tallies. The *owner* of a block is the slot that allocated or
 * reallocated it last.
 *
 * Counting. Only one thread writes a slab, with plain `add`s to memory. So counting needs no lock and no
 * atomic operation, and a signal handler that allocates between two instructions loses no counts. The totals
 * of a slot are sums over all slabs that ever existed. Slabs are never zeroed. When a thread ends, the next
 * new thread continues counting in its slab, so memory grows with the number of threads that live at once.
 *
 * Owners. The thread that frees a block finds its owner and size in the shadow table (heap/shadow.h) and
 * counts the free in its own tally for that owner. A block is entered after the allocator has returned it and
 * removed before the allocator gets it back, so no other thread can have the same address in between.
 *
 * One test. The hot path compares the key of a site, or the entry of a freed block, with the capacity of the
 * thread's slab. A key that exceeds every capacity leads to the slow path: a site that is not registered yet,
 * a block that was freed, and sites whose stacks are kept (KEY_SLOW, paths/stacks.h). A capacity of 0 has the
 * same effect. It is the capacity of a thread without a slab, in a forked child, or with all events on the
 * slow path, and of every thread if the runtime is off. So the hot path tests for none of these separately.
 *
 * Fork. Thread structures and slabs are in memory that the kernel wipes in a forked child (MADV_WIPEONFORK),
 * however it was forked. All-zero is their valid initial state, so a child counts from zero. Sites keep their
 * slots and blocks their owners. The blocks that a child inherited are its live blocks minus its counts. A
 * child of vfork shares the memory and counts for its parent.
 *
 * Thread exit. The destructor of the thread's key releases its slab and marks the thread as ending. If
 * destructors of other keys allocate later, the thread borrows a slab for each count.
 *
 * Peak: count/tally.h, count/peak.c.
 *
 * Accuracy gaps. An event that cannot be counted sets a bit (enum gap, model/gaps.h). The report then says
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

/* Indexed by the lowest bits of the hash. 8 bits would save an instruction; with 20 contexts in use, that
 * costs as much as it saves, because more of them then share an index. */
#define CONTEXTS_LATELY 1024

/* The state of a thread. It has its own cache lines, because every event writes it. It also holds what is too
 * large for thread-local memory. A forked child finds it zeroed. */
struct thread {
    uint32_t capacity; /* key of the last slot in the slab: keys from KEY(1) to below it are counted on the
                          hot path. 0: no slab yet, wiped by fork, or all events take the slow path */
    uint32_t index;    /* unique among the threads that are alive */
    struct tally *tallies;
    int64_t headroom;  /* live bytes of this thread - ceiling */
    int64_t ceiling;   /* with one thread: the peak, or a value that is never reached while the peak rises */
    int64_t looked;    /* the epoch in which this thread last checked the peak */
    int64_t measured;  /* its live bytes at the last measurement of all threads */
    int64_t at_peak;   /* the thread's live bytes at the measurement that found the peak */
    int64_t withheld;  /* the part of its headroom that ceiling excludes (count/peak_parts.c) */
    int64_t elsewhere; /* the thread's live bytes in slabs other than the current slab */
    struct extra *extras;    /* of the same slots, up to extra_capacity */
    uint32_t extra_capacity; /* in the unit of capacity */
    uint32_t slab;           /* number of the slab in use */
    uint32_t slabs;          /* number + 1 of the thread's newest slab; 0: none */
    uint32_t first_slab;     /* number of its oldest slab, which is outside of phases */
    uint32_t noted_alone;    /* how often only its own peaks were noted (count/peak_parts.c) */
    uint32_t held;           /* the real capacity while `capacity` is 0 to send events to the slow path */
    uint32_t next_idle;      /* index + 1 of the next idle thread; 0: end of the list */
    uint32_t turns;          /* how often it was acquired or released; odd while a thread counts in it */
    bool asked_back; /* another thread needs this thread's unused headroom; its capacity was set to 0, so that
                        it notices */
    uint32_t contexts_lately[CONTEXTS_LATELY]; /* recent contexts: distance of each from the first context, in
                                                  bytes (paths/contexts.h) */
} __attribute__((aligned(128)));

/* The alloc view and the free view of a thread that must not count on the hot path: its capacity is 0. */
extern struct thread no_thread __attribute__((visibility("hidden")));

/* The part of the thread's own stack that is known to be readable (base/stack.h). Empty at first. */
struct stack_bounds {
    uintptr_t low, high;
    uintptr_t hole;  /* addresses below it are not part of the stack */
    uint64_t spread; /* high * STACK_SPREAD */
};

/* Chosen so that no multiple of this * ALLOCSITE_CONTEXT_FACTOR by a distance on a stack, from 16 bytes to 8
 * GiB, is within 16 GiB of zero. It fits into the 32 bits of an immediate operand. */
#define STACK_SPREAD 0xFFFFFFFFA0B428DBu

/* A calling context that was seen before (paths/contexts.h). */
struct context_known {
    uint64_t hash; /* 0: unused; written last, and only once */
    uint32_t key;  /* of the context's stack, or of its slot if there was no room for the stack */
    int32_t next;  /* distance in bytes to the context that came after this one */
};

/* The initial value of a thread's context_last. */
extern struct context_known context_none __attribute__((visibility("hidden")));

/* Nearly all thread-local memory of the runtime. glibc reserves 1,664 bytes for the thread-local memory of
 * all libraries that are loaded later, so arrays belong into struct thread. */
struct local {
    struct thread *alloc_view; /* `thread` or no_thread, for the hot path of allocations */
    struct thread *free_view;  /* the same for frees, whether sizes or lifetimes are counted or not */
    struct thread *thread;     /* the thread's structure; NULL: none yet */
    bool silent;               /* allocations now are the runtime's and are not counted */
    bool heard;                /* an interposed function was called while silent */
    bool resolving;            /* looking for the underlying allocator */
    bool ending;               /* the thread's key destructor has run */
    bool fails_next;           /* with fail=: the next allocation fails */
    bool holds_arena;          /* holds the lock of an arena (custom_alloc/arenas.h) */
    uint32_t custom; /* calls of custom allocators in progress: their allocations are chunks to be divided */
    uint32_t begun;  /* events in progress whose counting might overflow the stack */
    const void *released; /* the block that an operator delete in progress has already counted as freed */
    uint32_t releaser;    /* slot + 1 of the delete in progress; 0: none */
    const void *newest;   /* with temporary=1: the last allocated block */
    struct stack_bounds stack;
    struct runtime_stack *runtime_stack; /* the runtime's stack in use (base/stack.c); NULL: none */
    struct context_known *context_last; /* the last context that was not among the thread's contexts_lately */
};

extern __thread struct local local __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline uintptr_t thread_pointer(void) {
    uintptr_t tp;
    __asm__("movq %%fs:0, %0" : "=r"(tp)); /* clang before 17 has no builtin for this */
    return tp;
}

/* An event between event_begin and event_end has happened but is not fully counted. A jump out of it, for
 * example by the handler of a stack overflow, leaves it half counted (calls/passing.c). event_begin comes
 * before the first frame that may use more stack than the allocator has just used. */
static inline void event_begin(void) {
    __asm__ volatile("addl $1, %0" : "+m"(local.begun) : : "memory", "cc");
}

static inline void event_end(void) {
    __asm__ volatile("subl $1, %0" : "+m"(local.begun) : : "memory", "cc");
}

/* Like event_end, and reads a view of this thread again. In assembly, because a compiler would keep the
 * address in a register that has to be saved over the call. */
#define EVENT_END_ANEW(member, result)                                                                       \
    __asm__ volatile("movq local@gottpoff(%%rip), %0\n\tsubl $1, %%fs:%c2(%0)\n\tmovq %%fs:%c1(%0), %0"      \
                     : "=&r"(result)                                                                         \
                     : "i"(offsetof(struct local, member)), "i"(offsetof(struct local, begun))               \
                     : "memory", "cc")

/* Suspends counting: allocations of the C library for a call by the runtime are not counted. */
bool silence_begin(void);
void silence_end(bool was_silent);

#endif
