/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime inside: how an allocation is counted. Shared by the runtime's own files.
 *
 * THEORY OF OPERATION
 *
 * Words. A *site* is an allocator call in the source; the plugin gives each a descriptor (../format.h) and
 * calls `__allocsite_v1_malloc(n, site)` where the source calls `malloc(n)`. An allocation that comes
 * without one is *unsited* and is counted for its caller, the return address. A *slot* is the dense index of
 * a site or of such a caller, or of a part of one of these (parts.h), given at first use; its *key* is that
 * index in the place where an entry of the shadow table holds it. A *tally* is what one thread counts for a
 * slot; a *slab* is one thread's array of tallies. The *owner* of a block is the slot that produced it last.
 *
 * Counting. Only its own thread writes a slab, with plain `add`s to memory: no lock, no atomic operation,
 * and a signal handler that allocates between any two instructions loses nothing. The totals of a slot are
 * the sum over all slabs that ever were. Slabs are never zeroed: the slab of a thread that ended is
 * handed to the next new thread, which counts on in it, so memory follows the number of threads that lived
 * at once.
 *
 * Owners. Whoever frees a block, in whichever thread, finds its owner and size in the shadow table (shadow.h)
 * and counts them in a tally of his own for that owner. A block is entered when the allocator has given it
 * and taken out before the allocator gets it back, so that in between nobody else has that address.
 *
 * One test. The hot path compares the site's key, or the entry of the block that is freed, with the capacity
 * of the thread's slab. A site that is not registered yet has the highest key there is, a block that was
 * freed an entry above all keys; a thread without a slab, a thread of a forked child, a thread whose every
 * event is to be looked at and a runtime that is off have capacity 0. All of these take the slow path, which
 * sorts them out, and the rest never tests for them. So are those whose stacks are kept (stacks.h): their key
 * has KEY_SLOW, which puts it above all capacities, while the keys of their blocks' entries do not.
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
 * Scopes. What a library function allocates on behalf of a site (asprintf, operator new of another library)
 * is billed to the site: its entry opens a scope, and the interposed malloc bills to the innermost one. A
 * scope is a value in thread-local memory, never a pointer into a stack frame, so that a longjmp out of it
 * leaves at worst a stale attribution and never a stale pointer.
 *
 * Peak: tally.h.
 *
 * Holes. What cannot be counted sets a bit (enum hole), and the report then says `exact: no` with the reason. */
#ifndef ALLOCSITE_LIB_BASE_RUNTIME_H
#define ALLOCSITE_LIB_BASE_RUNTIME_H

#include "base/elf_note.h"
#include "format.h"
#include "lib/count/tally.h"
#include "lib/heap/shadow.h"
#include "model/holes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALLOCSITE_EXPORT __attribute__((visibility("default")))

/* An argument that is needed after a call. In a register that calls preserve it would cost two more
 * instructions than in memory. */
#define KEEP(type, name, value) type volatile name = (value)

/* Not a valid slot; above every capacity. Slot 0 is never given: an entry of zeros has no owner. */
#define NO_SLOT ALLOCSITE_KEY_NONE

/* In a key: every event is to be looked at. */
#define KEY_SLOW 0x80000000u

static inline uint32_t key_slot(uint32_t key) {
    return key == ALLOCSITE_KEY_NONE ? NO_SLOT : (key & ~KEY_SLOW) >> KEY_SHIFT;
}

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

#define SCOPE_BLOCKS 8

struct billed {
    const void *p;
    uint64_t bytes;
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
    bool holds_arena;       /* the lock of one (custom_arenas.h) */
    uint32_t custom;        /* custom allocators that are under way: what is allocated is their backing */
    const void *released; /* the block that an operator delete was called for and that is counted as freed */
    uint32_t releaser;    /* slot + 1 of the delete that is under way; 0: none */
    struct scope scope;
    uint32_t billed_count;              /* blocks billed to the scope that lifts others or to one alone */
    struct billed billed[SCOPE_BLOCKS]; /* the first ones of them */
    bool diverted; /* handover, silent or scope.active: an unsited allocation is not its module's */
};

extern __thread struct local local __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Nothing is counted and no look-up of the options is left to do. */
extern bool runtime_off __attribute__((visibility("hidden")));

/* Who owns which block is noted, and so who frees what and what is live; else only what comes is counted. */
extern bool runtime_owners __attribute__((visibility("hidden")));

/* More is asked for than the hot path counts (pairs, sizes): every event takes the slow path. */
extern bool runtime_details __attribute__((visibility("hidden")));

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

/* Counts for a slot, which may be NO_SLOT. Keep errno. */
void count_gained(uint32_t slot, const void *p, uint64_t bytes, enum family);
void count_failed(uint32_t slot);

/* A block was counted for one slot and is another's. */
void count_disowned(const struct billed *, uint32_t from, uint32_t to);

/* Between the two nothing is counted: what the C library allocates for a call of the runtime itself. */
bool silence_begin(void);
void silence_end(bool was_silent);

/* Sends this thread's sited calls the slow way, which looks at the scope; and back. */
void thread_hide(void);
void thread_show(void);

/* ---- scope.c ---- */

/* Opens a scope and returns the one around it, for scope_close. */
struct scope scope_open(uint32_t slot, bool lifts, enum family, size_t bill, size_t expect,
                        const void *beyond);

/* Goes back to a scope; what was billed inside is told to it if it lifts. */
void scope_return(struct scope *around);

/* The first call of a site, the runtime is off, or the thread is within a scope. */
void scope_open_unready(struct scope *around, struct allocsite_site *, const void *beyond);

static inline void scope_close(struct scope *around) {
    if (UNLIKELY(around->active || local.scope.lifts)) {
        scope_return(around);
        return;
    }
    local.scope.active = false;
    local.diverted = local.handover || local.silent;
}

/* Whether its scope is one that scope_enter can open, with none around it. */
static inline bool scope_is_ready(const struct allocsite_site *site) {
    return LIKELY(site->key < local.current->capacity) && LIKELY(!local.scope.active);
}

static inline void scope_enter(uint32_t slot) {
    struct scope *scope = &local.scope;
    scope->slot = slot;
    scope->active = true;
    scope->lifts = scope->counted = scope->failed = false;
    scope->bill = scope->expect = 0;
    scope->family = FAMILY_MALLOC;
    local.billed_count = 0;
    local.diverted = true;
}

/* A scope for a library function called at site: all it allocates is billed there. */
static inline void scope_open_site(struct scope *around, struct allocsite_site *site) {
    if (scope_is_ready(site)) {
        around->active = false; /* nothing else of such a one counts */
        scope_enter(site->key >> KEY_SHIFT);
    } else {
        char here = 0; /* in the frame of the function that this is inlined into */
        scope_open_unready(around, site, &here);
    }
}

/* Closes the scope however its block is left: return, exception, cancellation. */
#define SCOPED(site)                                                                                         \
    __attribute__((cleanup(scope_close))) struct scope scope_around;                                         \
    scope_open_site(&scope_around, site)

/* Within a scope of the caller's, in which nothing was counted: bill this block. */
void scope_bill(const void *p, uint64_t bytes);

/* The slot to bill an unsited call to that is about to be passed on: the one handed over or the caller's. */
uint32_t unsited_slot(const void *return_address);

/* Within a scope: the call it was opened for failed. It counts as failed if an allocation inside did. */
void scope_call_failed(void);

/* Within a scope: the call failed without a block, so what was allocated inside last (the exception it
 * throws) is not the site's but that of the module of the function called. */
void scope_disown(const void *callee);

/* Whether an allocation of the size is billed to the scope. One that expects the block of operator new takes
 * no other: the exception that this throws is its library's. */
bool scope_takes(const struct scope *, size_t bytes);

/* An interposed function allocated p for a scope that takes it. Returns the bytes to bill. */
size_t scope_billed(struct scope *, const void *p, size_t bytes);

/* The slot handed over to the next interposed allocation, plus one, which takes it; 0: none. */
uint32_t handover_take(void);

/* All scopes that are open are being left without being closed. */
void scopes_leave(void);

/* ---- registry.c: slots ---- */

struct module;

struct record {
    const struct allocsite_site *site; /* NULL: unsited */
    const struct module *module;       /* NULL: the slot was not used in the end */
    uint32_t what;                     /* enum profile_what */
    uint32_t parent;                   /* stack, backing: the slot that this is a part of */
    uint64_t address;   /* unsited: where calls return to, as the module's file has it; 0: others */
    profile_name stack; /* struct profile_step of the innermost frame */
    bool keeps_stacks;  /* counted by stack */
};

/* The slot of a site, given now if it has none. NO_SLOT: no memory. */
uint32_t site_slot(struct allocsite_site *);

/* A slot with that record. NO_SLOT: no memory, or there are as many as can be, and the hole is set. */
uint32_t record_add(const struct record *);

/* Of an unsited one, which was there before the options said whether it does. */
void record_keep_stacks(uint32_t slot);

/* Another thread has given the same a slot. */
void record_drop(uint32_t slot);

/* What stands for a slot where the hot path looks: its key, with KEY_SLOW if it keeps stacks. */
uint32_t slot_key(uint32_t slot);

uint32_t record_count(void);
const struct record *record_at(uint32_t slot);

/* Zeroed memory that is never given back; NULL: none. */
void *arena_take(size_t size);

/* ---- modules.c ---- */

struct module {
    struct module *next;
    uint32_t slot;     /* of its unsited allocations whose callers have none of their own */
    bool permanent;    /* is never unloaded, so records may point into it */
    bool known;        /* false: stands for all code that is in no module */
    const void *start; /* of its ELF header, when it was found; NULL: of none */
    const char *name;  /* as the dynamic loader has it */
    const char *path;
    char build_id[BUILD_ID_SIZE]; /* GNU build id in hexadecimal digits; "": it has none */
};

/* A number for its row: of its path. */
uint64_t module_id(const struct module *);

/* The module that holds address, never NULL but when memory is out. */
const struct module *module_of(const void *address);

/* An address of code as its module's file has it. */
struct module_address {
    const struct module *module; /* NULL: memory is out */
    uint64_t address;            /* of code in no module: the address itself */
};
struct module_address module_address(const void *);

/* The dynamic loader's structure of the module that holds address; NULL: none. */
struct link_map;
const struct link_map *object_of(const void *address);

/* Path of the executable. */
const char *program_path(void);

/* ---- report at exit and what it says ---- */

void hole_set(enum hole);
bool hole_is_set(enum hole);

/* 1 << hole of each that is set. */
uint32_t holes_all(void);

/* Keeps a way to the report's descriptor if the program is about to close this one. */
void exit_keep_descriptor(int fd);

#endif
