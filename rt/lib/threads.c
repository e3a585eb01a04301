/* Threads and their slabs: taking, growing, handing on, summing up.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "peak.h"
#include "runtime.h"
#include "slabs.h"
#include "store.h"
#include "table.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

/* Slots that a slab has address space for: all there can be, or fewer where that is limited. */
#define SLOTS_MOST  (1u << SLOT_BITS)
#define SLOTS_LEAST (1u << 14)

/* A slab grows by doubling, from as many slots as fit one page. */
#define SLOTS_AT_FIRST (PROFILE_PAGE / (uint32_t)sizeof(struct tally))

/* The tallies and extras of a number. Not wiped by fork: a child counts in its parent's, which read as zero.
 */
struct slab {
    struct tally *tallies;
    struct extra *extras;
    uint32_t slots;
};

/* What must start afresh in a forked child. */
struct process {
    uint64_t idle;    /* tag << 32 | index + 1 of the first idle thread: the tag makes reuse visible */
    uint32_t threads; /* indices given so far */
};

static struct thread empty_thread;
__thread struct local local = {.current = &empty_thread};

static struct table thread_table = {.element = sizeof(struct thread), .first = 128, .fork = OS_FORK_WIPES};
static struct table slab_table = {.element = sizeof(struct slab), .first = 128, .fork = OS_FORK_KEEPS};
static struct table process_table = {.element = sizeof(struct process), .first = 1, .fork = OS_FORK_WIPES};

static pthread_key_t thread_key;
static uint32_t thread_key_state; /* 0: no key, 1: being made, 2: there */

static void *map_slots(uint32_t *slots) {
    size_t each = sizeof(struct tally) + sizeof(struct extra);
    bool is_limited = os_address_space() != RLIM_INFINITY;
    void *memory = is_limited ? NULL : os_map(SLOTS_MOST * each, OS_FORK_WIPES);
    *slots = memory ? SLOTS_MOST : SLOTS_LEAST;
    return memory ? memory : os_map(SLOTS_LEAST * each, OS_FORK_WIPES);
}

/* Only the thread whose slab it is comes here, or a signal handler in it, for which signals are held. */
static struct slab *slab_at(uint32_t number) {
    struct slab *slab = table_at(&slab_table, number);
    if (!slab || slab->tallies)
        return slab;
    slab->tallies = map_slots(&slab->slots);
    slab->extras = (struct extra *)(slab->tallies + slab->slots);
    return slab->tallies ? slab : NULL;
}

/* Makes the part for the next slots an area. False: there are no more. */
static bool grow(uint32_t *held, const struct slab *slab, enum profile_kind kind, uint32_t number) {
    uint32_t more = *held ? *held : SLOTS_AT_FIRST;
    char *memory = kind == PROFILE_TALLIES ? (char *)slab->tallies : (char *)slab->extras;
    _Static_assert(sizeof(struct tally) == sizeof(struct extra), "one geometry for both");
    if (*held == slab->slots)
        return false;
    store_add(kind, number, *held, memory + *held * sizeof(struct tally), more * sizeof(struct tally));
    *held += more;
    return true;
}

/* Slots below the last one that is held are within the capacity. */
static uint32_t slots_held(uint32_t capacity) {
    return capacity ? (capacity >> KEY_SHIFT) + 1 : 0;
}

static bool grow_capacity(uint32_t *capacity, uint32_t slot, const struct slab *slab, enum profile_kind kind,
                          uint32_t number) {
    uint32_t held = slots_held(*capacity);
    while (KEY(slot) >= *capacity) {
        if (!grow(&held, slab, kind, number))
            return false;
        *capacity = KEY(held - 1);
    }
    return true;
}

static bool thread_grow(struct thread *thread, uint32_t slot, bool extras) {
    uint64_t signals = os_signals_hold();
    struct slab *slab = slab_at(thread->slab);
    bool grown = slab != NULL;
    if (slab) {
        thread->tallies = slab->tallies;
        thread->extras = slab->extras;
        grown = grow_capacity(&thread->held, slot, slab, PROFILE_TALLIES, thread->slab) &&
                (!extras || grow_capacity(&thread->extra_capacity, slot, slab, PROFILE_EXTRAS, thread->slab));
        thread->capacity = thread->held;
    }
    os_signals_release(signals);
    return grown;
}

static struct thread *idle_pop(struct process *process) {
    uint64_t head = __atomic_load_n(&process->idle, __ATOMIC_ACQUIRE);
    while ((uint32_t)head) {
        struct thread *thread = table_peek(&thread_table, (uint32_t)head - 1);
        uint64_t rest = ((head >> 32) + 1) << 32 | __atomic_load_n(&thread->next_idle, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&process->idle, &head, rest, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return thread;
    }
    return NULL;
}

static void idle_push(struct process *process, struct thread *thread) {
    uint64_t head = __atomic_load_n(&process->idle, __ATOMIC_ACQUIRE);
    uint64_t next;
    do {
        __atomic_store_n(&thread->next_idle, (uint32_t)head, __ATOMIC_RELAXED);
        next = ((head >> 32) + 1) << 32 | (thread->index + 1);
    } while (
        !__atomic_compare_exchange_n(&process->idle, &head, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static struct thread *thread_new(struct process *process) {
    uint32_t index = __atomic_fetch_add(&process->threads, 1, __ATOMIC_ACQ_REL);
    struct thread *thread = table_at(&thread_table, index);
    if (index > 0 && !peak_is_shared()) {
        hole_set(HOLE_THREADS);
        peak_several_threads();
    }
    if (thread)
        thread->index = thread->slab = index;
    return thread;
}

static struct thread *thread_take(void) {
    struct process *process = table_at(&process_table, 0);
    if (!process)
        return NULL;
    struct thread *thread = idle_pop(process);
    return thread ? thread : thread_new(process);
}

static void thread_give(struct thread *thread) {
    struct process *process = table_peek(&process_table, 0);
    if (process && thread->held)
        idle_push(process, thread);
}

/* Destructor of the key. Later destructors of the thread may allocate still; nothing comes after them that
 * could hand a slab on, so from here on the thread borrows. */
static void thread_end(void *own) {
    (void)own;
    struct thread *thread = local.own;
    local.ending = true;
    local.own = NULL;
    local.current = &empty_thread;
    /* A signal handler from here on borrows; one in between still counts in the thread's own. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (thread)
        thread_give(thread);
}

/* A signal handler that comes meanwhile would not be counted either: signals wait until the silence ends. */
static __thread uint64_t signals_before __attribute__((tls_model("initial-exec")));

bool silence_begin(void) {
    bool was_silent = local.silent;
    if (!was_silent)
        signals_before = os_signals_hold();
    local.silent = true;
    local_divert();
    return was_silent;
}

void silence_end(bool was_silent) {
    local.silent = was_silent;
    local_divert();
    if (!was_silent)
        os_signals_release(signals_before);
}

static void thread_watch_end(struct thread *thread) {
    uint32_t none = 0;
    if (__atomic_compare_exchange_n(&thread_key_state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
        pthread_key_create(&thread_key, thread_end) == 0)
        __atomic_store_n(&thread_key_state, 2, __ATOMIC_RELEASE);
    if (__atomic_load_n(&thread_key_state, __ATOMIC_ACQUIRE) != 2)
        return;
    bool was_silent = silence_begin(); /* for a key above the first 32 a block is allocated */
    pthread_setspecific(thread_key, thread);
    silence_end(was_silent);
}

/* This thread's structure, to be given back after one count if the thread is ending. */
static struct thread *thread_own(void) {
    struct thread *own = local.own;
    if (own && own->held)
        return own;
    struct thread *taken = thread_take();
    if (!taken || local.ending)
        return taken;
    if (local.own && local.own->held) { /* a signal handler was here and took one */
        thread_give(taken);
        return local.own;
    }
    local.own = taken;
    thread_watch_end(taken);
    return taken;
}

/* A thread that hides or ends does not come back to the hot path. */
static void thread_use_hot_path(struct thread *thread) {
    if (!local.ending && !local.scope.lifts && !runtime_details)
        local.current = thread;
}

static struct thread *acquire(uint32_t slot, uint32_t other, bool extras) {
    uint32_t highest = slot > other ? slot : other;
    struct thread *thread = thread_own();
    bool holds = thread && KEY(highest) < thread->held && (!extras || KEY(highest) < thread->extra_capacity);
    if (holds || (thread && thread_grow(thread, highest, extras)))
        return thread;
    hole_set(HOLE_MEMORY);
    return NULL;
}

struct thread *thread_acquire(uint32_t slot, uint32_t other) {
    return acquire(slot, other, false);
}

struct thread *thread_acquire_extras(uint32_t slot, uint32_t other) {
    return acquire(slot, other, true);
}

void thread_release(struct thread *thread) {
    if (thread == local.own)
        thread_use_hot_path(thread);
    else
        thread_give(thread);
}

uint32_t threads_count(void) {
    const struct process *process = table_peek(&process_table, 0);
    uint32_t threads = process ? __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE) : 0;
    return threads ? threads : 1;
}

void threads_visit(uint32_t slot, thread_visitor *visit, void *context) {
    for (uint32_t i = 0; i < threads_count(); i++) {
        const struct thread *thread = table_peek(&thread_table, i);
        if (thread && KEY(slot) < thread->held)
            visit(context, &thread->tallies[slot],
                  KEY(slot) < thread->extra_capacity ? &thread->extras[slot] : NULL);
    }
}

static void add_live_blocks(void *sum, const struct tally *tally, const struct extra *extra) {
    (void)extra;
    *(int64_t *)sum += tally_live_blocks(tally);
}

int64_t threads_live_blocks(uint32_t slot) {
    int64_t sum = 0;
    threads_visit(slot, add_live_blocks, &sum);
    return sum;
}

int64_t threads_live_bytes(void) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < threads_count(); i++) {
        struct thread *thread = table_peek(&thread_table, i);
        if (thread)
            sum += thread->measured = __atomic_load_n(&thread->room, __ATOMIC_RELAXED) +
                                      __atomic_load_n(&thread->ceiling, __ATOMIC_RELAXED);
    }
    return sum;
}

void threads_note_peak(void) {
    for (uint32_t i = 0; i < threads_count(); i++) {
        struct thread *thread = table_peek(&thread_table, i);
        if (thread)
            thread->at_peak = thread->measured;
    }
}

void thread_hide(void) {
    local.current = &empty_thread;
}

void thread_show(void) {
    local.current = local.own && !runtime_details ? local.own : &empty_thread;
}
