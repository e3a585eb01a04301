/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that a forked child must find empty.
 *
 * The kernel empties it (MADV_WIPEONFORK). Kernels before 4.14 refuse that, and emulators accept it and do
 * nothing. A word in such memory tells: it is not zero when the process forks, and a child that finds it so
 * has all other memory of the kind mapped anew. A child that was forked past the handlers of the C library
 * does not look; it is found out when it reports. */
#define _GNU_SOURCE
#include "lib/base/os.h"

#include "lib/base/local.h"

#include <errno.h>
#include <pthread.h>

#define SPANS_MOST 65536

static struct span *spans; /* of all the memory; begin 0: it was unmapped, or its entry is being made */
static uint32_t span_count;
static int32_t *forking; /* in such memory: the process that forked last; 0: none, or it was emptied */

void os_fork_note(const void *memory, size_t size) {
    struct span *list = __atomic_load_n(&spans, __ATOMIC_ACQUIRE), *none = NULL;
    if (!list) {
        list = os_map(SPANS_MOST * sizeof *list, OS_FORK_KEEPS);
        if (list &&
            !__atomic_compare_exchange_n(&spans, &none, list, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            os_unmap(list, SPANS_MOST * sizeof *list);
            list = none;
        }
    }
    uint32_t index = __atomic_fetch_add(&span_count, 1, __ATOMIC_RELAXED);
    if (!list || index >= SPANS_MOST)
        return;
    list[index].end = (uintptr_t)memory + size;
    __atomic_store_n(&list[index].begin, (uintptr_t)memory, __ATOMIC_RELEASE);
}

static uint32_t entries(void) {
    uint32_t count = __atomic_load_n(&span_count, __ATOMIC_ACQUIRE);
    return !spans ? 0 : count < SPANS_MOST ? count : SPANS_MOST;
}

void os_fork_forget(const void *memory) {
    for (uint32_t i = entries(); i-- > 0;)
        if (__atomic_load_n(&spans[i].begin, __ATOMIC_RELAXED) == (uintptr_t)memory) {
            __atomic_store_n(&spans[i].begin, 0, __ATOMIC_RELAXED);
            return;
        }
}

/* False: some of it still has what the parent had. */
static bool empty_all(void) {
    bool is_whole = spans && span_count <= SPANS_MOST;
    for (uint32_t i = 0; i < entries(); i++)
        if (spans[i].begin)
            is_whole &= os_map_over((void *)spans[i].begin, spans[i].end - spans[i].begin, OS_FORK_WIPES);
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
