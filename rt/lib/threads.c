/* Threads and their slabs: taking, growing, handing on, summing up.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "peak.h"
#include "runtime.h"
#include "slabs.h"
#include "table.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* A slab holds so many slots, or this doubled as often as the slots in use demand. Address space alone. */
#define SLAB_BITS   14
#define SLAB_LEVELS 7

/* The slabs of one thread index. Not wiped by fork: a child counts in its parent's, which read as zero. */
struct slabs {
    struct tally *level[SLAB_LEVELS];
};

/* What must start afresh in a forked child. */
struct process {
    uint64_t idle;    /* tag << 32 | index + 1 of the first idle thread: the tag makes reuse visible */
    uint32_t threads; /* indices given so far */
};

static struct thread empty_thread;
__thread struct local local = {.current = &empty_thread};

static struct table thread_table = {.element = sizeof(struct thread), .first = 128, .fork = OS_FORK_WIPES};
static struct table slabs_table = {.element = sizeof(struct slabs), .first = 32, .fork = OS_FORK_KEEPS};
static struct table process_table = {.element = sizeof(struct process), .first = 1, .fork = OS_FORK_WIPES};

static pthread_key_t thread_key;
static uint32_t thread_key_state; /* 0: no key, 1: being made, 2: there */

static size_t slab_size(uint32_t level) {
    return (sizeof(struct tally) << SLAB_BITS) << level;
}

static uint32_t thread_level(const struct thread *thread) {
    return 31 - (uint32_t)__builtin_clz((thread->capacity >> KEY_SHIFT) + 1) - SLAB_BITS;
}

static struct tally *slab_at(struct slabs *slabs, uint32_t level) {
    struct tally *slab = __atomic_load_n(&slabs->level[level], __ATOMIC_ACQUIRE);
    if (slab)
        return slab;
    struct tally *fresh = os_map(slab_size(level), OS_FORK_WIPES);
    if (fresh && !__atomic_compare_exchange_n(&slabs->level[level], &slab, fresh, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE)) {
        os_unmap(fresh, slab_size(level));
        return slab;
    }
    return fresh;
}

static void slab_move(struct tally *to, struct tally *from, uint32_t level) {
    static const struct tally unused;
    for (uint32_t slot = 0; slot < 1u << SLAB_BITS << level; slot++)
        if (memcmp(&from[slot], &unused, sizeof unused) != 0) {
            to[slot] = from[slot];
            from[slot] = unused;
        }
}

/* What was counted moves along, with its peaks and limits. No signal handler may count in between. */
static void thread_use(struct thread *thread, struct tally *slab, uint32_t level) {
    uint64_t signals = os_signals_hold();
    if (thread->capacity)
        slab_move(slab, thread->tallies, thread_level(thread));
    thread->tallies = slab;
    thread->capacity = KEY((1u << SLAB_BITS << level) - 1);
    os_signals_release(signals);
}

/* Gives the thread a slab that holds slot. */
static bool thread_grow(struct thread *thread, uint32_t slot) {
    uint32_t level = 0;
    while (level < SLAB_LEVELS && (slot + 1) >> SLAB_BITS >> level)
        level++;
    struct slabs *slabs = table_at(&slabs_table, thread->index);
    struct tally *slab = slabs && level < SLAB_LEVELS ? slab_at(slabs, level) : NULL;
    if (slab)
        thread_use(thread, slab, level);
    return slab;
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
        thread->index = index;
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
    if (process && thread->capacity)
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
    if (own && own->capacity)
        return own;
    struct thread *taken = thread_take();
    if (!taken || local.ending)
        return taken;
    if (local.own && local.own->capacity) { /* a signal handler was here and took one */
        thread_give(taken);
        return local.own;
    }
    local.own = taken;
    thread_watch_end(taken);
    return taken;
}

static bool thread_holds(const struct thread *thread, uint32_t slot) {
    return KEY(slot) < thread->capacity;
}

/* A thread that hides or ends does not come back to the hot path. */
static void thread_use_hot_path(struct thread *thread) {
    if (!local.ending && !local.scope.lifts && !runtime_details)
        local.current = thread;
}

struct thread *thread_acquire(uint32_t slot, uint32_t other) {
    uint32_t highest = slot > other ? slot : other;
    struct thread *thread = thread_own();
    if (!thread || (!thread_holds(thread, highest) && !thread_grow(thread, highest))) {
        hole_set(HOLE_MEMORY);
        return NULL;
    }
    return thread;
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

static void visit_slabs(const struct slabs *slabs, uint32_t slot, void (*visit)(void *, const struct tally *),
                        void *context) {
    for (uint32_t level = 0; level < SLAB_LEVELS; level++)
        if (slabs->level[level] && slot < 1u << SLAB_BITS << level)
            visit(context, &slabs->level[level][slot]);
}

void threads_visit(uint32_t slot, void (*visit)(void *context, const struct tally *), void *context) {
    for (uint32_t i = 0; i < threads_count(); i++) {
        const struct slabs *slabs = table_peek(&slabs_table, i);
        if (slabs)
            visit_slabs(slabs, slot, visit, context);
    }
}

static void add_live_blocks(void *sum, const struct tally *tally) {
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
