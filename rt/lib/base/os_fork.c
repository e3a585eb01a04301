/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The list of the runtime's own memory. A search for pointers skips it, and a forked child must find some of
 * it empty.
 *
 * The kernel empties that part (MADV_WIPEONFORK). Kernels before 4.14 refuse to, and emulators accept it
 * without effect. A word in such memory detects this: it is not zero when the process forks, and a child that
 * finds it unchanged maps all memory of that kind anew. A child that was forked without the C library's fork
 * handlers does not check; its report finds out, because the word is not this process's id. */
#define _GNU_SOURCE
#include "lib/base/os.h"

#include "lib/base/local.h"
#include "lib/base/state.h"
#include "root.h"

#include <errno.h>
#include <pthread.h>
#include <sys/single_threaded.h>

#define RANGES_MOST   65536
#define RANGE_CLAIMED 1 /* value of `begin` while the entry is being written */

struct range {
    uintptr_t begin, end; /* begin 0: the entry is free */
    enum os_fork fork;
};

static struct range *ranges;
static uint32_t ranges_count; /* entries ever used; may exceed RANGES_MOST */
static uint32_t ranges_free;  /* approximate number of free entries among these */
static int32_t *forking;      /* in memory that fork wipes: this process's id; 0 or the parent's id if fork
                                 handlers did not run */

static bool loader_may_block;

const struct root_list root_runtime_spans = {
    .entries = &ranges, .count = &ranges_count, .most = RANGES_MOST, .entry_size = sizeof(struct range)};

static struct range *ranges_list(void) {
    struct range *list = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE), *none = NULL;
    if (list)
        return list;
    list = os_map_unnoted(RANGES_MOST * sizeof *list, OS_FORK_KEEPS);
    if (!list || __atomic_compare_exchange_n(&ranges, &none, list, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return list;
    os_unmap(list, RANGES_MOST * sizeof *list);
    return none;
}

static uint32_t ranges_used(void) {
    uint32_t count = __atomic_load_n(&ranges_count, __ATOMIC_ACQUIRE);
    return !ranges ? 0 : count < RANGES_MOST ? count : RANGES_MOST;
}

static bool range_claim(struct range *entry) {
    uintptr_t none = 0;
    return __atomic_compare_exchange_n(&entry->begin, &none, RANGE_CLAIMED, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* Returns NULL if no entry is free. */
static struct range *range_claim_free(struct range *list) {
    for (uint32_t i = __atomic_load_n(&ranges_free, __ATOMIC_RELAXED) ? ranges_used() : 0; i-- > 0;)
        if (!__atomic_load_n(&list[i].begin, __ATOMIC_RELAXED) && range_claim(&list[i])) {
            __atomic_fetch_sub(&ranges_free, 1, __ATOMIC_RELAXED);
            return &list[i];
        }
    return NULL;
}

void os_note_mapping(const void *memory, size_t size, enum os_fork fork) {
    struct range *list = ranges_list(), *entry = list ? range_claim_free(list) : NULL;
    while (!entry) {
        uint32_t index = __atomic_fetch_add(&ranges_count, 1, __ATOMIC_RELAXED);
        if (!list || index >= RANGES_MOST)
            return;
        entry = range_claim(&list[index]) ? &list[index] : NULL;
    }
    entry->end = (uintptr_t)memory + size;
    entry->fork = fork;
    __atomic_store_n(&entry->begin, (uintptr_t)memory, __ATOMIC_RELEASE);
}

void os_forget_mapping(const void *memory) {
    for (uint32_t i = ranges_used(); i-- > 0;)
        if (__atomic_load_n(&ranges[i].begin, __ATOMIC_RELAXED) == (uintptr_t)memory) {
            __atomic_store_n(&ranges[i].begin, 0, __ATOMIC_RELEASE);
            __atomic_fetch_add(&ranges_free, 1, __ATOMIC_RELAXED);
            return;
        }
}

/* Returns false if some memory still has the parent's content. */
static bool ranges_empty(void) {
    bool is_whole = ranges && ranges_count <= RANGES_MOST;
    for (uint32_t i = 0; i < ranges_used(); i++)
        if (ranges[i].begin > RANGE_CLAIMED && ranges[i].fork == OS_FORK_WIPES)
            is_whole &= os_map_over((void *)ranges[i].begin, ranges[i].end - ranges[i].begin, OS_FORK_WIPES);
    return is_whole;
}

/* If not all memory could be emptied, the word gets the parent's id again, for os_fork_failed. */
static void fork_in_child(void) {
    int error = errno;
    loader_may_block |= !__libc_single_threaded;
    int32_t parent = *forking;
    *forking = !parent || ranges_empty() ? os_process() : parent;
    errno = error;
}

void os_fork_watch(void) {
    forking = os_map(sizeof *forking, OS_FORK_WIPES);
    if (!forking)
        return;
    *forking = os_process();
    bool was_silent = silence_begin();
    pthread_atfork(NULL, NULL, fork_in_child);
    silence_end(was_silent);
}

bool os_loader_may_block(void) {
    return loader_may_block || (forking && *forking != os_process() && !__libc_single_threaded);
}

bool os_fork_failed(void) {
    return forking && *forking && *forking != os_process();
}
