/* The runtime inside: how an allocation is counted. Shared by the runtime's own files.
 *
 * THEORY OF OPERATION
 *
 * Words. A *site* is an allocator call in the source; the plugin gives each a descriptor (../format.h) and
 * calls `__allocsite_v1_malloc(n, site)` where the source calls `malloc(n)`. An allocation that comes
 * without one is *unsited* and is counted for the module of its return address. A *slot* is the dense
 * index of a site, or of a module's unsited allocations, given at first use; *counters* are what a slot
 * counts; a *slab* is one thread's array of counters.
 *
 * Counting. Only its own thread writes a slab, with one plain `add` to memory: no lock, no atomic operation,
 * and a signal handler that allocates between any two instructions loses nothing. The totals of a slot are
 * the sum over all slabs that ever were. Slabs are never zeroed: the slab of a thread that ended is
 * handed to the next new thread, which counts on in it, so memory follows the number of threads that lived
 * at once.
 *
 * One test. The hot path compares the site's slot with the capacity of the thread's slab. A site
 * that is not registered yet has the highest slot there is; a thread without a slab, a thread of a
 * forked child and a runtime that is off have capacity 0. All of these take the slow path, which sorts
 * them out, and the rest never tests for them.
 *
 * Fork. Thread structures and slabs lie in memory that the kernel wipes in a forked child (MADV_WIPEONFORK),
 * however it was forked. All-zero is their valid initial state, so a child just counts from zero. Sites
 * keep their slots: records are not wiped. A child of vfork shares the memory and counts for its parent.
 *
 * Thread exit. The thread's key destructor hands its slab on and marks the thread as ending. Whatever it
 * still allocates afterwards, in destructors of other keys, borrows a slab for one count at a time.
 *
 * Scopes. What a library function allocates on behalf of a site (strdup, operator new of another library) is
 * billed to the site: its entry opens a scope, and the interposed malloc bills to the innermost one. A
 * scope is a value in thread-local memory, never a pointer into a stack frame, so that a longjmp out of it
 * leaves at worst a stale attribution and never a stale pointer.
 *
 * Counted before it succeeds. An entry adds the allocation first and takes it back if the allocator fails:
 * that needs no register saved across the allocator's call.
 *
 * Holes. What cannot be counted sets a bit (enum hole), and the report then says `exact: no` with the reason.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_RUNTIME_H
#define ALLOCSITE_RUNTIME_H

#include "../format.h"
#include "counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOCSITE_EXPORT __attribute__((visibility("default")))
#define LIKELY(x)        __builtin_expect(!!(x), 1)
#define UNLIKELY(x)      __builtin_expect(!!(x), 0)
#define COLD             __attribute__((noinline, cold))

/* Not a valid slot; above every capacity. */
#define NO_SLOT ALLOCSITE_SLOT_NONE

/* ---- threads.c: a thread and its slab ---- */

struct thread {
    uint32_t capacity; /* of counters, in slots; 0: none yet, or wiped by fork */
    uint32_t index;    /* among all threads at once */
    struct counters *counters;
    uint32_t next_idle; /* index + 1 of the next one on the list of idle threads; 0: last */
};

/* To whom the interposed allocator bills what it is asked for in this thread. */
struct scope {
    uint32_t slot;
    bool active;
    bool lifts;      /* sited calls inside are billed to slot too */
    bool counted;    /* something inside has been billed */
    bool failed;     /* something inside has failed */
    size_t bill;     /* an allocation of this size inside, ... */
    size_t expect;   /* ... or up to this one where the callee rounds, is billed as bill */
    uint64_t allocs; /* billed so far */
    uint64_t bytes;  /* of these */
};

/* All the thread-local memory of the runtime. Compilers test neighbouring members with one load: diverted,
 * which every scope writes, has none of them, for a load of what was just written in part waits until it is
 * in the cache. */
struct local {
    struct thread *current; /* the hot path's view: own, or the empty one */
    struct thread *own;     /* NULL: none taken yet */
    uint32_t handover;      /* slot + 1 for the next interposed allocation; 0: none */
    bool silent;            /* what is allocated now is the runtime's doing: not counted */
    bool heard;             /* an interposed function was called in silence */
    bool resolving;         /* inside the look-up of the next functions */
    bool ending;            /* the thread's key destructor has run */
    struct scope scope;
    bool diverted; /* handover, silent or scope.active: an unsited allocation is not its module's */
};

extern __thread struct local local __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Nothing is counted and no look-up of the options is left to do. */
extern bool runtime_off __attribute__((visibility("hidden")));

/* One instruction on the owner's slab: a signal handler cannot come between reading and writing. */
static inline void bump(uint64_t *counter, uint64_t by) {
#if defined __x86_64__
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(by));
#else
    __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
#endif
}

/* The counters of slot in this thread; NULL: take the slow path. */
static inline struct counters *hot_counters(uint32_t slot) {
    struct thread *thread = local.current;
    if (UNLIKELY(slot >= thread->capacity))
        return NULL;
    struct counters *counters = &thread->counters[slot];
    if (!counters)
        __builtin_unreachable(); /* or the caller tests twice */
    return counters;
}

static inline void bump_alloc(struct counters *counters, uint64_t bytes) {
    bump(&counters->allocs, 1);
    bump(&counters->alloc_bytes, bytes);
}

static inline void bump_realloc(struct counters *counters, uint64_t bytes) {
    bump(&counters->reallocs, 1);
    bump(&counters->realloc_bytes, bytes);
}

static inline void local_divert(void) {
    local.diverted = local.handover || local.silent || local.scope.active;
}

/* Reads the options and decides on runtime_off. Cheap when it has been done. */
void runtime_start(void);

/* Whether what happens now in this thread is to be counted. */
static inline bool runtime_counts(void) {
    if (runtime_off || local.silent)
        return false;
    runtime_start();
    return !runtime_off;
}

enum event {
    EVENT_ALLOC,
    EVENT_ALLOC_UNDONE, /* an EVENT_ALLOC taken back */
    EVENT_ALLOC_FAILED, /* the same, because the allocator failed */
    EVENT_REALLOC,
    EVENT_FAILED,
};

/* Counts one event for slot. Keeps errno. */
void count_slot(uint32_t slot, enum event, uint64_t bytes);

/* Counts one event for a site, or for the scope that lifts it; registers the site at first. Keeps errno. */
void count_site(struct allocsite_site *, enum event, uint64_t bytes);

/* Counts one event of an interposed function: for the scope, for the site handed over, or for the module
 * that holds the return address. Keeps errno. */
void count_unsited(const void *return_address, enum event, uint64_t bytes);

/* Between the two nothing is counted: what the C library allocates for a call of the runtime itself. */
bool silence_begin(void);
void silence_end(bool was_silent);

/* Adds what all threads have counted for slot. */
void threads_sum(uint32_t slot, struct counters *total);

/* Sends this thread's sited calls the slow way, which looks at the scope; and back. */
void thread_hide(void);
void thread_show(void);

/* ---- scope.c ---- */

/* Opens a scope and returns the one around it, for scope_close. */
struct scope scope_open(uint32_t slot, bool lifts, size_t bill, size_t expect);

/* Goes back to a scope; what was billed inside is told to it if it lifts. */
void scope_return(struct scope *around);

/* The first call of a site, the runtime is off, or the thread is within a scope. */
struct scope scope_open_unready(struct allocsite_site *);

static inline void scope_close(struct scope *around) {
    if (UNLIKELY(around->active || local.scope.lifts)) {
        scope_return(around);
        return;
    }
    local.scope.active = false;
    local.diverted = local.handover || local.silent;
}

/* A scope for a library function called at site: all it allocates is billed there. */
static inline struct scope scope_open_site(struct allocsite_site *site) {
    uint32_t slot = site->slot;
    if (UNLIKELY(slot >= local.current->capacity || local.scope.active))
        return scope_open_unready(site);
    struct scope *scope = &local.scope;
    scope->slot = slot;
    scope->active = true;
    scope->lifts = scope->counted = scope->failed = false;
    scope->bill = scope->expect = 0;
    scope->allocs = scope->bytes = 0;
    local.diverted = true;
    return (struct scope){.active = false}; /* nothing else of such a one counts */
}

/* Closes the scope however its block is left: return, exception, cancellation. */
#define SCOPED(site)                                                                                         \
    __attribute__((cleanup(scope_close))) struct scope scope_around = scope_open_site(site);                 \
    (void)scope_around

/* Within a scope of a slot of the caller's: nothing inside was counted, so count this. */
void scope_count(enum event, uint64_t bytes);

/* The slot to bill an unsited call to that is about to be passed on: the one handed over or the module's. */
uint32_t unsited_slot(const void *return_address);

/* Within a scope: the call it was opened for failed. It counts as failed if an allocation inside did. */
void scope_call_failed(void);

/* Within a scope: the call failed without a block, so what was allocated inside (the exception it throws) is
 * not the site's but that of the module of the function called. */
void scope_disown(const void *callee);

/* The slot handed over to the next interposed allocation, plus one, which takes it; 0: none. */
uint32_t handover_take(void);

/* For callbacks of the program: what they allocate is their own. */
struct scope scope_suspend(void);
void scope_resume(const struct scope *);

/* All scopes that are open are being left without being closed. */
void scopes_leave(void);

/* ---- registry.c: slots ---- */

struct module;

struct record {
    const struct allocsite_site *site; /* NULL: the unsited allocations of module */
    const struct module *module;       /* NULL: the slot was not used in the end */
};

/* The slot of a site, given now if it has none. NO_SLOT: no memory. */
uint32_t site_slot(struct allocsite_site *);

uint32_t record_add(const struct allocsite_site *, const struct module *);
uint32_t record_count(void);
const struct record *record_at(uint32_t slot);

/* Zeroed memory that is never given back; NULL: none. */
void *arena_take(size_t size);

/* ---- modules.c ---- */

struct module {
    struct module *next;
    uint32_t slot;  /* of its unsited allocations */
    bool permanent; /* is never unloaded, so records may point into it */
    bool known;     /* false: stands for all code that is in no module */
    const char *path;
};

/* The module that holds address, never NULL but when memory is out. */
const struct module *module_of(const void *address);

/* Which module a page of code belongs to, as page << 28 | slot; 0: not known. Pages of one module are never
 * another's, and a word is read whole, so an entry needs no lock. */
#define MODULE_CACHE_SIZE 256
#define MODULE_SLOT_BITS  28
extern uint64_t module_cache[MODULE_CACHE_SIZE] __attribute__((visibility("hidden")));

/* Slot of the unsited allocations of the module that holds address. NO_SLOT: no memory. */
uint32_t module_slot_lookup(const void *address);

static inline uint32_t module_slot(const void *address) {
    uint64_t page = (uintptr_t)address >> 12;
    uint64_t entry = __atomic_load_n(&module_cache[page % MODULE_CACHE_SIZE], __ATOMIC_RELAXED);
    if (LIKELY(entry >> MODULE_SLOT_BITS == page))
        return entry & ((1u << MODULE_SLOT_BITS) - 1);
    return module_slot_lookup(address);
}

/* The counters of the module that holds return_address; NULL: take the slow path. */
static inline struct counters *hot_module_counters(const void *return_address) {
    if (UNLIKELY(local.diverted || !local.current->capacity))
        return NULL;
    return hot_counters(module_slot(return_address));
}

/* An interposed function allocated for its caller at return_address. p: what it returned. */
static inline void note_alloc(const void *return_address, const void *p, uint64_t bytes) {
    struct counters *counters = LIKELY(p) ? hot_module_counters(return_address) : NULL;
    if (LIKELY(counters))
        bump_alloc(counters, bytes);
    else
        count_unsited(return_address, p ? EVENT_ALLOC : EVENT_FAILED, bytes);
}

/* The same for a realloc of an existing block. */
static inline void note_realloc(const void *return_address, const void *p, uint64_t bytes) {
    struct counters *counters = LIKELY(p) ? hot_module_counters(return_address) : NULL;
    if (LIKELY(counters))
        bump_realloc(counters, bytes);
    else
        count_unsited(return_address, p ? EVENT_REALLOC : EVENT_FAILED, bytes);
}

/* The dynamic loader's structure of the module that holds address; NULL: none. */
struct link_map;
const struct link_map *object_of(const void *address);

/* A module was unloaded: its addresses may become another's. */
void module_cache_clear(void);

/* Path of the executable. */
const char *program_path(void);

/* ---- report at exit and what it says ---- */

enum hole {
    HOLE_MEMORY,         /* out of memory for the runtime's own tables */
    HOLE_FORK,           /* the kernel cannot wipe on fork */
    HOLE_INTERPOSITION,  /* another malloc stands before ours */
    HOLE_UNWRAPPED,      /* static runtime without --wrap */
    HOLE_VERSION,        /* a descriptor of another format version */
    HOLE_SECOND_RUNTIME, /* another copy of the runtime counts too */
    HOLE_LIBRARIES,      /* static runtime in a process that has shared libraries */
    HOLE_COUNT
};

void hole_set(enum hole);
bool hole_is_set(enum hole);

/* Keeps a way to the report's descriptor if the program is about to close this one. */
void exit_keep_descriptor(int fd);

#endif
