/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks that a signal handler, a dead thread and a fork can do no harm to. */
#include "custom_locks.h"
#include "runtime.h"
#include "table.h"

#include <errno.h>
#include <time.h>

#define PATIENCE UINT64_C(1000000000) /* in nanoseconds */

enum { OPEN, HELD, GIVEN_UP };

static struct table locks = {.element = 64, .first = CUSTOM_SHARDS, .fork = OS_FORK_WIPES};

/* Not wiped. */
static bool is_under_way[CUSTOM_SHARDS];

/* False: somebody else holds it. */
static bool try_lock(uint32_t *word, uint32_t *state) {
    local.holds_arena = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *state = OPEN;
    if (__atomic_compare_exchange_n(word, state, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return true;
    local.holds_arena = false;
    return false;
}

static uint64_t now(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool wait_for(uint32_t *word) {
    int error = errno;
    uint32_t state = OPEN;
    if (try_lock(word, &state))
        return true;
    uint32_t tries = 1;
    for (uint64_t begun = now(); state != GIVEN_UP && now() - begun < PATIENCE; tries++) {
        os_wait(tries);
        errno = error;
        if (try_lock(word, &state))
            return true;
    }
    if (state == HELD)
        __atomic_compare_exchange_n(word, &state, GIVEN_UP, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return false;
}

bool custom_lock(uint32_t shard, bool *was_left) {
    uint32_t *word = local.holds_arena ? NULL : table_at(&locks, shard);
    if (!word || !wait_for(word)) {
        hole_set(HOLE_ARENA);
        return false;
    }
    *was_left = is_under_way[shard];
    is_under_way[shard] = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

void custom_unlock(uint32_t shard) {
    uint32_t *word = table_peek(&locks, shard);
    __atomic_store_n(&is_under_way[shard], false, __ATOMIC_RELEASE);
    __atomic_store_n(word, OPEN, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    local.holds_arena = false;
}
