/* Threads and their slabs: taking, growing, handing on, summing up.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "runtime.h"
#include "table.h"

#include <errno.h>
#include <pthread.h>

/* A slab holds so many slots, or this doubled as often as the slots in use demand. Address space alone. */
#define SLAB_BITS   14
#define SLAB_LEVELS 15

/* The slabs of one thread index. Not wiped by fork: a child counts in its parent's, which read as zero. */
struct slabs {
    struct counters *level[SLAB_LEVELS];
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
    return (sizeof(struct counters) << SLAB_BITS) << level;
}

static struct counters *slab_at(struct slabs *slabs, uint32_t level) {
    struct counters *slab = __atomic_load_n(&slabs->level[level], __ATOMIC_ACQUIRE);
    if (slab)
        return slab;
    struct counters *fresh = os_map(slab_size(level), OS_FORK_WIPES);
    if (fresh && !__atomic_compare_exchange_n(&slabs->level[level], &slab, fresh, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE)) {
        os_unmap(fresh, slab_size(level));
        return slab;
    }
    return fresh;
}

/* Gives the thread a slab that holds slot. A smaller one it had stays in the sum. */
static bool thread_grow(struct thread *thread, uint32_t slot) {
    uint32_t level = 0;
    while (level < SLAB_LEVELS && slot >> SLAB_BITS >> level)
        level++;
    struct slabs *slabs = table_at(&slabs_table, thread->index);
    struct counters *slab = slabs && level < SLAB_LEVELS ? slab_at(slabs, level) : NULL;
    if (!slab)
        return false;
    /* In this order a signal handler in between finds a slab at least as large as the capacity says. */
    __atomic_store_n(&thread->counters, slab, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&thread->capacity, 1u << SLAB_BITS << level, __ATOMIC_RELAXED);
    return true;
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

static void count_event(struct counters *counters, enum event event, uint64_t bytes) {
    switch (event) {
    case EVENT_ALLOC:
        bump_alloc(counters, bytes);
        break;
    case EVENT_REALLOC:
        bump_realloc(counters, bytes);
        break;
    case EVENT_ALLOC_FAILED:
        bump(&counters->failed, 1);
        __attribute__((fallthrough));
    case EVENT_ALLOC_UNDONE:
        bump(&counters->allocs, -(uint64_t)1);
        bump(&counters->alloc_bytes, -bytes);
        break;
    case EVENT_FAILED:
        bump(&counters->failed, 1);
        break;
    }
}

static void count_slow(uint32_t slot, enum event event, uint64_t bytes) {
    struct thread *thread = slot == NO_SLOT ? NULL : thread_own();
    if (!thread || (slot >= thread->capacity && !thread_grow(thread, slot))) {
        hole_set(HOLE_MEMORY);
        return;
    }
    count_event(&thread->counters[slot], event, bytes);
    if (thread != local.own)
        thread_give(thread);
    else if (!local.ending && !local.scope.lifts)
        local.current = thread;
}

COLD void count_slot(uint32_t slot, enum event event, uint64_t bytes) {
    if (!runtime_counts())
        return;
    int error = errno;
    count_slow(slot, event, bytes);
    errno = error;
}

COLD void count_site(struct allocsite_site *site, enum event event, uint64_t bytes) {
    if (!runtime_counts())
        return;
    int error = errno;
    if (local.scope.active && local.scope.lifts)
        count_unsited(NULL, event, bytes);
    else
        count_slow(site_slot(site), event, bytes);
    errno = error;
}

static void sum_slabs(const struct slabs *slabs, uint32_t slot, struct counters *total) {
    for (uint32_t level = 0; level < SLAB_LEVELS; level++)
        if (slabs->level[level] && slot < 1u << SLAB_BITS << level)
            counters_add(total, &slabs->level[level][slot]);
}

void threads_sum(uint32_t slot, struct counters *total) {
    const struct process *process = table_peek(&process_table, 0);
    uint32_t threads = process ? __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE) : 0;
    for (uint32_t i = 0; i < threads; i++) {
        const struct slabs *slabs = table_peek(&slabs_table, i);
        if (slabs)
            sum_slabs(slabs, slot, total);
    }
}

void thread_hide(void) {
    local.current = &empty_thread;
}

void thread_show(void) {
    local.current = local.own ? local.own : &empty_thread;
}
