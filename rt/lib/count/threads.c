/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads and their slabs: taking, growing, handing on, summing up. */
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

/* State that must start afresh in a forked child. */
struct process {
    uint64_t idle;    /* tag << 32 | index + 1 of the first idle thread: the tag makes reuse visible */
    uint32_t threads; /* indices given so far */
    uint32_t slabs;   /* numbers given so far */
    int32_t number;   /* of the process, since its first thread counts */
};

static struct table thread_table = {.element = sizeof(struct thread), .first = 128, .fork = OS_FORK_WIPES};
static struct table process_table = {.element = sizeof(struct process), .first = 1, .fork = OS_FORK_WIPES};

static pthread_key_t thread_key;
static uint32_t thread_key_state; /* 0: no key, 1: being made, 2: there */

/* Nothing is to be counted in any thread for now. */
static bool is_paused;

/* Every event is to be looked at. */
static bool is_watched;

/* The addresses of the capacities, with which another process turns threads away. */
static struct table switches = {.element = sizeof(uint64_t),
                                .first = PROFILE_SWITCHES_FIRST,
                                .fork = OS_FORK_WIPES,
                                .areas = &store_areas,
                                .kind = PROFILE_SWITCHES};

/* The hot path's view. Whoever turns us away meanwhile sets it to 0 after we have, or we see it. */
static void set_capacity(struct thread *thread) {
    __atomic_store_n(&thread->capacity, thread->held, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&is_paused, __ATOMIC_RELAXED) || __atomic_load_n(&is_watched, __ATOMIC_RELAXED) ||
        __atomic_load_n(&thread->asked_back, __ATOMIC_RELAXED) || threads_are_asked())
        __atomic_store_n(&thread->capacity, 0, __ATOMIC_RELAXED);
}

/* A child that has not left its parent's file leaves its parent's requests alone. */
bool threads_take_request(uint32_t requests) {
    struct profile_header *header = store_header();
    return header->pid == (uint64_t)os_process() &&
           __atomic_fetch_and(&header->requests, ~requests, __ATOMIC_ACQ_REL) & requests;
}

static COLD void start_or_stop_as_asked(void) {
    if (threads_take_request(PROFILE_STOP))
        threads_pause(true);
    else if (threads_take_request(PROFILE_START))
        threads_start();
}

bool threads_are_paused(void) {
    if (UNLIKELY(threads_are_asked()))
        start_or_stop_as_asked();
    return __atomic_load_n(&is_paused, __ATOMIC_RELAXED);
}

static void set_view(struct thread *thread) {
    local.seen = runtime_temporary ? &no_thread : thread;
    local.current = sizes_wanted || births_wanted ? &no_thread : local.seen;
}

static void turn_away(bool *why, bool is_so) {
    __atomic_store_n(why, is_so, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0; is_so && i < threads_count(); i++) {
        struct thread *thread = table_peek(&thread_table, i);
        if (thread)
            __atomic_store_n(&thread->capacity, 0, __ATOMIC_RELAXED);
    }
}

void threads_pause(bool pause) {
    turn_away(&is_paused, pause);
}

void threads_start(void) {
    runtime_wake();
    __atomic_fetch_and(&store_header()->flags, ~(uint32_t)PROFILE_IS_ASLEEP, __ATOMIC_RELAXED);
    threads_pause(false);
}

void threads_watch(bool watch) {
    turn_away(&is_watched, watch);
}

/* Has the thread count in a slab that holds the slot. False: no memory, or a signal handler has just forked:
 * then the child's has no slabs. */
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

/* Each has mappings of its own, of which a process may have 65,530. */
#define SLABS_OF_PHASES 8192

/* The number of a new slab for the thread; NO_SLOT: none is to be had. */
static uint32_t add_slab(struct thread *thread, profile_name phase) {
    struct process *process = table_at(&process_table, 0);
    if (phase && __atomic_load_n(&process->slabs, __ATOMIC_RELAXED) - threads_count() >= SLABS_OF_PHASES) {
        hole_set(HOLE_PHASES);
        return NO_SLOT;
    }
    uint32_t number = __atomic_fetch_add(&process->slabs, 1, __ATOMIC_ACQ_REL);
    if (!slab_make(number, phase, thread->index, thread->slabs)) {
        uint32_t last = number + 1;
        __atomic_compare_exchange_n(&process->slabs, &last, number, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
        return NO_SLOT;
    }
    thread->slabs = number + 1;
    return number;
}

/* The thread's slab for the phase. */
static uint32_t find_slab(struct thread *thread, profile_name phase) {
    for (uint32_t next = thread->slabs; next;) {
        const struct slab *slab = slab_peek(next - 1);
        if (slab->phase == phase)
            return next - 1;
        next = slab->next;
    }
    return add_slab(thread, phase);
}

static void switch_slab(struct thread *thread, profile_name phase) {
    uint32_t number = find_slab(thread, phase), before = thread->slab;
    if (number == NO_SLOT)
        number = find_slab(thread, 0);
    if (number == before)
        return;
    thread->slab = number;
    if (!thread_grow(thread, 0, false))
        thread->slab = before;
}

static struct thread *idle_pop(struct process *process) {
    uint64_t head = __atomic_load_n(&process->idle, __ATOMIC_ACQUIRE);
    while ((uint32_t)head) {
        struct thread *thread = table_peek(&thread_table, (uint32_t)head - 1);
        uint64_t rest = ((head >> 32) + 1) << 32 | __atomic_load_n(&thread->next_idle, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&process->idle, &head, rest, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            __atomic_fetch_add(&thread->turns, 1, __ATOMIC_SEQ_CST);
            return thread;
        }
    }
    return NULL;
}

static void idle_push(struct process *process, struct thread *thread) {
    uint64_t head = __atomic_load_n(&process->idle, __ATOMIC_ACQUIRE);
    uint64_t next;
    __atomic_fetch_add(&thread->turns, 1, __ATOMIC_SEQ_CST);
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
        hole_set(HOLE_THREADS);
        peak_several_threads();
    }
    if (!thread)
        return NULL;
    *thread = (struct thread){.index = index, .turns = 1, .slab = NO_SLOT}; /* see take_over, slab.c */
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
        thread->slab = add_slab(thread, 0);
    if (!thread || thread->slab != NO_SLOT)
        return thread;
    idle_push(process, thread); /* for when there is memory, or each event would take a number */
    return NULL;
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
    if (local.begun)
        hole_set(HOLE_TORN);
    if (thread)
        switch_slab(thread, 0);
    local.ending = true;
    local.own = NULL;
    thread_hide();
    /* A signal handler from here on borrows; one in between still counts in the thread's own. */
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
    bool was_silent = silence_begin(); /* for a key above the first 32 a block is allocated */
    pthread_setspecific(thread_key, thread);
    silence_end(was_silent);
}

static void enter_phase(struct thread *thread, profile_name phase) {
    peak_several_threads(); /* a slot has several tallies in one thread now */
    switch_slab(thread, phase);
}

/* No signal handler may take one meanwhile: there is one place to keep it in. */
static struct thread *take_own(void) {
    uint64_t signals = os_signals_hold();
    struct thread *own = local.own;
    bool is_there = own && own->held; /* a signal handler was here and took one */
    struct thread *taken = is_there ? own : thread_take();
    if (taken)
        local.own = taken;
    os_signals_release(signals);
    if (is_there || !taken)
        return taken;
    thread_watch_end(taken);
    if (phase_now()) /* of a child that was forked within it */
        enter_phase(taken, phase_now());
    return taken;
}

/* This thread's structure, to be given back after one count if the thread is ending. */
static struct thread *thread_own(void) {
    struct thread *own = local.own;
    if (own && own->held)
        return own;
    return local.ending ? thread_take() : take_own();
}

/* A thread that hides or ends does not come back to the hot path. */
static void thread_use_hot_path(struct thread *thread) {
    if (UNLIKELY(__atomic_load_n(&thread->asked_back, __ATOMIC_RELAXED))) {
        __atomic_store_n(&thread->asked_back, false, __ATOMIC_RELAXED);
        peak_give_back(thread);
    }
    set_capacity(thread);
    if (!local.ending && !local.scope.lifts && !local.custom)
        set_view(thread);
}

STACK_CALL(struct thread *, thread_acquire_any, uint32_t slot, uint32_t other, bool extras) {
    uint32_t highest = slot > other ? slot : other;
    struct thread *thread = thread_own();
    bool holds = thread && KEY(highest) < thread->held && (!extras || KEY(highest) < thread->extra_capacity);
    if (holds || (thread && thread_grow(thread, highest, extras)))
        return thread;
    if (thread && !thread->slabs)
        return thread_acquire_any(slot, other, extras);
    if (thread)
        thread_release(thread);
    hole_set(HOLE_MEMORY);
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
    bool has_forked = !thread->slabs; /* in a signal handler: the rest of the event is nobody's */
    struct rare *rare = has_forked ? NULL : slab_rare(thread->slab, slot);
    os_signals_release(signals);
    if (!rare && !has_forked)
        hole_set(HOLE_MEMORY);
    return rare;
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
    set_view(&no_thread);
}

void thread_show(void) {
    bool is_seen = local.own && !local.custom;
    set_view(is_seen ? local.own : &no_thread);
}

void thread_enter_phase(profile_name phase) {
    int error = errno;
    struct thread *thread = local.ending ? NULL : thread_acquire(0, 0);
    if (thread) {
        enter_phase(thread, phase);
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
    const struct thread *thread = local.own;
    for (uint32_t next = thread ? thread->slabs : 0; next;) {
        const struct slab *slab = slab_peek(next - 1);
        visit(context, slab);
        next = slab->next;
    }
}

/* The phases that the thread is in: a chain of names, each with the one around it, which a forked child has
 * too. unnamed: how many more there are, for want of memory. */
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
