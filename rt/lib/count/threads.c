/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads and their slabs: how they are taken, grown and released. */
#include "lib/count/threads.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"

#include "lib/base/table.h"
#include "lib/count/change.h"
#include "lib/count/peak.h"
#include "lib/heap/shadow.h"
#include "lib/store/store.h"

#include <errno.h>
#include <pthread.h>

/* State that must start from zero in a forked child. */
struct process {
    uint64_t idle; /* tag << 32 | index + 1 of the first idle thread; the tag changes with each use (ABA) */
    uint32_t threads; /* indices assigned so far */
    uint32_t slabs;   /* numbers assigned so far */
    int32_t number;   /* id of the process, set when its first thread counts */
};

static struct table thread_table = {.element = sizeof(struct thread), .first = 128, .fork = OS_FORK_WIPES};
static struct table process_table = {.element = sizeof(struct process), .first = 1, .fork = OS_FORK_WIPES};

static pthread_key_t thread_key;
static uint32_t thread_key_state; /* 0: no key, 1: being made, 2: made */

/* No thread counts allocated blocks for now. */
static bool is_paused;

/* All events take the slow path. */
static bool is_watched;

/* The addresses of the capacities, by which another process diverts threads. */
static struct table switches = {.element = sizeof(uint64_t),
                                .first = PROFILE_SWITCHES_FIRST,
                                .fork = OS_FORK_WIPES,
                                .areas = &store_areas,
                                .kind = PROFILE_SWITCHES};

/* Sets the capacity that the hot path compares with. A concurrent threads_divert sets it to 0 after this
 * store, or its flag is seen here. */
static void set_capacity(struct thread *thread) {
    __atomic_store_n(&thread->capacity, thread->held, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&is_paused, __ATOMIC_RELAXED) || __atomic_load_n(&is_watched, __ATOMIC_RELAXED) ||
        __atomic_load_n(&thread->asked_back, __ATOMIC_RELAXED) || threads_are_asked())
        __atomic_store_n(&thread->capacity, 0, __ATOMIC_RELAXED);
}

/* A child that has not left its parent's file does not touch its parent's requests. */
bool threads_take_request(uint32_t requests) {
    struct profile_header *header = store_header();
    return header->pid == (uint64_t)os_process() &&
           __atomic_fetch_and(&header->requests, ~requests, __ATOMIC_ACQ_REL) & requests;
}

static COLD void requests_handle(void) {
    if (threads_take_request(PROFILE_STOP))
        threads_pause(true);
    else if (threads_take_request(PROFILE_START))
        threads_start();
}

bool threads_are_paused(void) {
    if (UNLIKELY(threads_are_asked()))
        requests_handle();
    return __atomic_load_n(&is_paused, __ATOMIC_RELAXED);
}

static void views_set(struct thread *thread) {
    local.free_view = runtime_temporary ? &no_thread : thread;
    local.alloc_view = sizes_wanted || births_wanted ? &no_thread : local.free_view;
}

static void threads_divert(bool *flag, bool value) {
    __atomic_store_n(flag, value, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0; value && i < threads_count(); i++) {
        struct thread *thread = table_peek(&thread_table, i);
        if (thread)
            __atomic_store_n(&thread->capacity, 0, __ATOMIC_RELAXED);
    }
}

void threads_pause(bool pause) {
    threads_divert(&is_paused, pause);
}

void threads_start(void) {
    runtime_wake();
    __atomic_fetch_and(&store_header()->flags, ~(uint32_t)PROFILE_IS_ASLEEP, __ATOMIC_RELAXED);
    threads_pause(false);
}

void threads_watch(bool watch) {
    threads_divert(&is_watched, watch);
}

/* Makes the thread's slab hold the slot. Returns false if memory is out, or if a signal handler has just
 * forked: the child has no slabs yet. */
static bool thread_grow(struct thread *thread, uint32_t slot, bool extras) {
    uint64_t signals = os_signals_hold();
    const struct slab *slab = thread->slabs ? slab_hold(thread->slab, slot, extras) : NULL;
    if (slab) {
        thread->tallies = slab->tallies;
        thread->extras = slab->extras;
        thread->held = slab->capacity;
        thread->extra_capacity = slab->extra_capacity;
        set_capacity(thread);
    }
    os_signals_release(signals);
    return slab;
}

/* Each slab has mappings of its own, and the kernel permits a process 65,530 by default. */
#define SLABS_OF_PHASES 8192

/* Returns the number of a new slab of the thread; NO_SLOT if there is none. */
static uint32_t slab_add(struct thread *thread, profile_name phase) {
    struct process *process = table_at(&process_table, 0);
    if (phase && __atomic_load_n(&process->slabs, __ATOMIC_RELAXED) - threads_count() >= SLABS_OF_PHASES) {
        gap_set(GAP_PHASES);
        return NO_SLOT;
    }
    uint32_t number = __atomic_fetch_add(&process->slabs, 1, __ATOMIC_ACQ_REL);
    if (!slab_make(number, phase, thread->index, thread->slabs)) {
        uint32_t last = number + 1;
        __atomic_compare_exchange_n(&process->slabs, &last, number, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
        return NO_SLOT;
    }
    if (!thread->slabs)
        thread->first_slab = number;
    thread->slabs = number + 1;
    return number;
}

/* Returns the thread's slab for the phase. */
static uint32_t slab_find(struct thread *thread, profile_name phase) {
    for (uint32_t next = thread->slabs; next;) {
        const struct slab *slab = slab_peek(next - 1);
        if (slab->phase == phase)
            return next - 1;
        next = slab->next;
    }
    return slab_add(thread, phase);
}

static void slab_switch(struct thread *thread, profile_name phase) {
    uint32_t number = slab_find(thread, phase), before = thread->slab;
    if (number == NO_SLOT)
        number = slab_find(thread, 0);
    if (number == before)
        return;
    uint64_t signals = os_signals_hold();
    peak_switch_slab(thread, number);
    if (!thread_grow(thread, 0, false))
        peak_switch_slab(thread, before);
    os_signals_release(signals);
}

static struct thread *idle_pop(struct process *process) {
    uint64_t head = __atomic_load_n(&process->idle, __ATOMIC_ACQUIRE);
    while ((uint32_t)head) {
        struct thread *thread = table_peek(&thread_table, (uint32_t)head - 1);
        uint64_t new_head = ((head >> 32) + 1) << 32 | __atomic_load_n(&thread->next_idle, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&process->idle, &head, new_head, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            uint32_t turns = __atomic_fetch_add(&thread->turns, 1, __ATOMIC_SEQ_CST);
            ASSERT(turns % 2 == 0); /* no other thread counts in it */
            return thread;
        }
    }
    return NULL;
}

static void idle_push(struct process *process, struct thread *thread) {
    uint64_t head = __atomic_load_n(&process->idle, __ATOMIC_ACQUIRE);
    uint64_t next;
    uint32_t turns = __atomic_fetch_add(&thread->turns, 1, __ATOMIC_SEQ_CST);
    ASSERT(turns % 2 == 1);
    do {
        __atomic_store_n(&thread->next_idle, (uint32_t)head, __ATOMIC_RELAXED);
        next = ((head >> 32) + 1) << 32 | (thread->index + 1);
    } while (
        !__atomic_compare_exchange_n(&process->idle, &head, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static struct thread *thread_new(struct process *process) {
    uint32_t index = __atomic_fetch_add(&process->threads, 1, __ATOMIC_ACQ_REL);
    struct thread *thread = table_at(&thread_table, index);
    if (index == 0)
        __atomic_store_n(&process->number, os_process(), __ATOMIC_RELAXED);
    if (index > 0 && !peak_is_shared()) {
        gap_set(GAP_THREADS);
        peak_several_threads();
    }
    if (!thread)
        return NULL;
    *thread = (struct thread){.index = index, .turns = 1, .slab = NO_SLOT}; /* see slab_reuse, slab.c */
    uint64_t *address = table_at(&switches, index);
    if (address)
        __atomic_store_n(address, (uintptr_t)&thread->capacity, __ATOMIC_RELEASE);
    return thread;
}

static struct thread *thread_take(void) {
    struct process *process = table_at(&process_table, 0);
    if (!process)
        return NULL;
    struct thread *thread = idle_pop(process);
    if (!thread)
        thread = thread_new(process);
    if (thread && thread->slab == NO_SLOT)
        thread->slab = slab_add(thread, 0);
    if (!thread || thread->slab != NO_SLOT)
        return thread;
    idle_push(process, thread); /* kept for a later attempt; otherwise each event would use up an index */
    return NULL;
}

static void thread_give(struct thread *thread) {
    struct process *process = table_peek(&process_table, 0);
    if (process && thread->held)
        idle_push(process, thread);
}

/* The destructor of the thread's key. Later destructors may still allocate, but nothing could release a slab
 * after them, so the thread borrows one for each count from now on. */
static void thread_end(void *unused) {
    (void)unused;
    struct thread *thread = local.thread;
    if (local.begun)
        gap_set(GAP_TORN);
    if (thread)
        slab_switch(thread, 0);
    local.ending = true;
    local.thread = NULL;
    thread_hide();
    /* A signal handler borrows from here on; before, it counts in the thread's slab. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (thread)
        thread_give(thread);
}

static void thread_watch_end(struct thread *thread) {
    uint32_t none = 0;
    if (__atomic_compare_exchange_n(&thread_key_state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
        pthread_key_create(&thread_key, thread_end) == 0)
        __atomic_store_n(&thread_key_state, 2, __ATOMIC_RELEASE);
    if (__atomic_load_n(&thread_key_state, __ATOMIC_ACQUIRE) != 2)
        return;
    bool was_silent = silence_begin(); /* pthread_setspecific allocates for keys above the first 32 */
    pthread_setspecific(thread_key, thread);
    silence_end(was_silent);
}

static void thread_switch_phase(struct thread *thread, profile_name phase) {
    peak_several_threads(); /* from now on, a slot may have several tallies in one thread */
    slab_switch(thread, phase);
}

/* Blocks signals until the structure can count, because a handler might also take one, and only one can be
 * kept. */
static struct thread *thread_take_free(void) {
    uint64_t signals = os_signals_hold();
    struct thread *thread = local.thread;
    bool is_there = thread && thread->held; /* a signal handler took a structure meanwhile */
    struct thread *taken = is_there ? thread : thread_take();
    if (taken && !taken->held)
        thread_grow(taken, 0, false);
    if (taken)
        local.thread = taken;
    os_signals_release(signals);
    if (is_there || !taken)
        return taken;
    thread_watch_end(taken);
    if (phase_now()) /* in a child that was forked inside a phase */
        thread_switch_phase(taken, phase_now());
    return taken;
}

/* Returns this thread's structure. A thread that is ending must release it after one count. */
static struct thread *thread_of_caller(void) {
    struct thread *thread = local.thread;
    if (thread && thread->held)
        return thread;
    return local.ending ? thread_take() : thread_take_free();
}

/* A thread that is hidden or ending stays off the hot path. */
static void thread_use_hot_path(struct thread *thread) {
    if (UNLIKELY(__atomic_load_n(&thread->asked_back, __ATOMIC_RELAXED))) {
        __atomic_store_n(&thread->asked_back, false, __ATOMIC_RELAXED);
        peak_give_back(thread);
    }
    set_capacity(thread);
    if (!local.ending && !local.custom)
        views_set(thread);
}

STACK_CALL(struct thread *, thread_acquire_any, uint32_t slot, uint32_t other, bool extras) {
    uint32_t highest = slot > other ? slot : other;
    struct thread *thread = thread_of_caller();
    bool holds = thread && KEY(highest) < thread->held && (!extras || KEY(highest) < thread->extra_capacity);
    if (holds || (thread && thread_grow(thread, highest, extras)))
        return thread;
    if (thread && !thread->slabs)
        return thread_acquire_any(slot, other, extras);
    if (thread)
        thread_release(thread);
    gap_set(GAP_MEMORY);
    return NULL;
}

struct thread *thread_acquire(uint32_t slot, uint32_t other) {
    return thread_acquire_any(slot, other, false);
}

struct thread *thread_acquire_extras(uint32_t slot, uint32_t other) {
    return thread_acquire_any(slot, other, true);
}

struct rare *thread_rare(struct thread *thread, uint32_t slot) {
    uint64_t signals = os_signals_hold();
    bool has_forked =
        !thread
             ->slabs; /* in a signal handler: the rest of the interrupted event belongs to neither process */
    struct rare *rare = has_forked ? NULL : slab_rare(thread->slab, slot);
    os_signals_release(signals);
    if (!rare && !has_forked)
        gap_set(GAP_MEMORY);
    return rare;
}

void thread_release(struct thread *thread) {
    if (thread == local.thread)
        thread_use_hot_path(thread);
    else
        thread_give(thread);
}

uint32_t threads_count(void) {
    const struct process *process = table_peek(&process_table, 0);
    uint32_t threads = process ? __atomic_load_n(&process->threads, __ATOMIC_ACQUIRE) : 0;
    return threads ? threads : 1;
}

bool threads_count_for(int32_t number) {
    const struct process *process = table_peek(&process_table, 0);
    return process && __atomic_load_n(&process->number, __ATOMIC_RELAXED) == number;
}

struct thread *thread_peek(uint32_t index) {
    return table_peek(&thread_table, index);
}

uint32_t threads_slabs(void) {
    const struct process *process = table_peek(&process_table, 0);
    return process ? __atomic_load_n(&process->slabs, __ATOMIC_ACQUIRE) : 0;
}

void thread_hide(void) {
    views_set(&no_thread);
}

void thread_show(void) {
    bool is_counting = local.thread && !local.custom;
    views_set(is_counting ? local.thread : &no_thread);
}

void thread_enter_phase(profile_name phase) {
    int error = errno;
    struct thread *thread = local.ending ? NULL : thread_acquire(0, 0);
    if (thread) {
        thread_switch_phase(thread, phase);
        thread_release(thread);
    }
    errno = error;
}

void thread_keep_slab(void) {
    int error = errno;
    struct thread *thread = thread_acquire(0, 0);
    if (thread)
        thread_release(thread);
    errno = error;
}

void thread_visit_slabs(void (*visit)(void *context, const struct slab *), void *context) {
    const struct thread *thread = local.thread;
    for (uint32_t next = thread ? thread->slabs : 0; next;) {
        const struct slab *slab = slab_peek(next - 1);
        visit(context, slab);
        next = slab->next;
    }
}

/* The phases of the thread: a linked list of names from the innermost outwards, which a forked child
 * inherits. unnamed: number of further phases that memory was out for. */
static __thread struct {
    profile_name innermost;
    uint32_t unnamed;
} phases;

profile_name phase_now(void) {
    const struct profile_frame *frame = names_frame_at(phases.innermost);
    return frame ? frame->function : 0;
}

void phase_push(profile_name name) {
    const struct profile_frame frame = {.function = name, .caller = phases.innermost};
    profile_name link = phases.unnamed ? 0 : names_frame(&frame);
    if (!link) {
        phases.unnamed++;
        return;
    }
    phases.innermost = link;
    thread_enter_phase(name);
}

void phase_pop(void) {
    const struct profile_frame *frame = names_frame_at(phases.innermost);
    if (phases.unnamed) {
        phases.unnamed--;
    } else if (frame) {
        phases.innermost = frame->caller;
        thread_enter_phase(phase_now());
    }
}
