/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's own memory: a search for pointers passes it over, and a forked child must find some of it
 * empty.
 *
 * The kernel empties that (MADV_WIPEONFORK). Kernels before 4.14 refuse to, and emulators accept it and do
 * nothing. A word in such memory tells: it is not zero when the process forks, and a child that finds it so
 * has all other memory of the kind mapped anew. A child that was forked past the handlers of the C library
 * does not look; it is found out when it reports. */
#define _GNU_SOURCE
#include "lib/base/os.h"

#include "lib/base/local.h"
#include "lib/base/state.h"
#include "root.h"

#include <errno.h>
#include <pthread.h>

#define OWN_MOST  65536
#define OWN_TAKEN 1 /* as begin: the entry is being made */

struct own {
    uintptr_t begin, end; /* begin 0: the entry is free */
    enum os_fork fork;
};

static struct own *own;
static uint32_t own_count; /* entries that were ever taken, or more than there is room for */
static uint32_t acct_free; /* of these, about so many are free */
static int32_t *forking;   /* in such memory: the process that forked last; 0: none, or it was emptied */

const struct root_own root_own = {
    .entries = &own, .count = &own_count, .most = OWN_MOST, .entry_size = sizeof(struct own)};

static struct own *own_list(void) {
    struct own *list = __atomic_load_n(&own, __ATOMIC_ACQUIRE), *none = NULL;
    if (list)
        return list;
    list = os_map_unnoted(OWN_MOST * sizeof *list, OS_FORK_KEEPS);
    if (!list || __atomic_compare_exchange_n(&own, &none, list, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return list;
    os_unmap(list, OWN_MOST * sizeof *list);
    return none;
}

static uint32_t own_entries(void) {
    uint32_t count = __atomic_load_n(&own_count, __ATOMIC_ACQUIRE);
    return !own ? 0 : count < OWN_MOST ? count : OWN_MOST;
}

static bool acct_take(struct own *entry) {
    uintptr_t none = 0;
    return __atomic_compare_exchange_n(&entry->begin, &none, OWN_TAKEN, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* NULL: there is none. */
static struct own *own_take_free(struct own *list) {
    for (uint32_t i = __atomic_load_n(&acct_free, __ATOMIC_RELAXED) ? own_entries() : 0; i-- > 0;)
        if (!__atomic_load_n(&list[i].begin, __ATOMIC_RELAXED) && acct_take(&list[i])) {
            __atomic_fetch_sub(&acct_free, 1, __ATOMIC_RELAXED);
            return &list[i];
        }
    return NULL;
}

void os_own_note(const void *memory, size_t size, enum os_fork fork) {
    struct own *list = own_list(), *entry = list ? own_take_free(list) : NULL;
    while (!entry) {
        uint32_t index = __atomic_fetch_add(&own_count, 1, __ATOMIC_RELAXED);
        if (!list || index >= OWN_MOST)
            return;
        entry = acct_take(&list[index]) ? &list[index] : NULL;
    }
    entry->end = (uintptr_t)memory + size;
    entry->fork = fork;
    __atomic_store_n(&entry->begin, (uintptr_t)memory, __ATOMIC_RELEASE);
}

void os_own_forget(const void *memory) {
    for (uint32_t i = own_entries(); i-- > 0;)
        if (__atomic_load_n(&own[i].begin, __ATOMIC_RELAXED) == (uintptr_t)memory) {
            __atomic_store_n(&own[i].begin, 0, __ATOMIC_RELEASE);
            __atomic_fetch_add(&acct_free, 1, __ATOMIC_RELAXED);
            return;
        }
}

/* False: some of it still has what the parent had. */
static bool empty_all(void) {
    bool is_whole = own && own_count <= OWN_MOST;
    for (uint32_t i = 0; i < own_entries(); i++)
        if (own[i].begin > OWN_TAKEN && own[i].fork == OS_FORK_WIPES)
            is_whole &= os_map_over((void *)own[i].begin, own[i].end - own[i].begin, OS_FORK_WIPES);
    return is_whole;
}

static void before_fork(void) {
    *forking = os_process();
}

/* What could not be emptied keeps the parent's number in the word, which os_fork_failed finds. */
static void in_child(void) {
    int error = errno;
    int32_t parent = *forking;
    if (parent && !empty_all())
        *forking = parent;
    errno = error;
}

void os_fork_watch(void) {
    forking = os_map(sizeof *forking, OS_FORK_WIPES);
    if (!forking)
        return;
    *forking = os_process();
    bool was_silent = silence_begin();
    pthread_atfork(before_fork, NULL, in_child);
    silence_end(was_silent);
}

bool os_fork_failed(void) {
    return forking && *forking && *forking != os_process();
}
