/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lists of blocks of each arena, newest first. */
#include "lib/custom_alloc/arenas.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/state.h"

#include "lib/base/table.h"

#include <errno.h>
#include <time.h>

enum {
    BUCKETS = 64,         /* per shard */
    BATCH = 64,           /* blocks that are removed from a list before they are visited */
    OF_MARK = UINT32_MAX, /* depth value of a mark */
};

/* A node is an arena, a block or a mark. Links are indices + 1; 0: none. */
struct node {
    uint64_t value; /* address of the arena or the block, or the mark */
    uint32_t next;  /* the next older node; of an arena: the next arena in the bucket */
    uint32_t back;  /* the next newer node; of the newest: its arena; of an arena: its newest node */
    uint32_t shard;
    uint32_t depth; /* of a block: see struct custom_block */
};

struct shard {
    uint32_t idle; /* list of unused nodes */
    uint32_t buckets[BUCKETS];
};

static struct shard shards[CUSTOM_SHARDS];
static uint32_t nodes_made;
static struct table nodes = {.element = sizeof(struct node), .first = 1024};

static struct node *node_at(uint32_t index) {
    return table_peek(&nodes, index - 1);
}

/* Forgets the arenas of a shard. The remaining nodes become marks, so that no block finds its node. */
static COLD void shard_reset(uint32_t shard) {
    shards[shard] = (struct shard){0};
    for (uint32_t i = 1; i <= __atomic_load_n(&nodes_made, __ATOMIC_RELAXED); i++)
        if (node_at(i) && node_at(i)->shard == shard)
            node_at(i)->depth = OF_MARK;
    gap_set(GAP_ARENA);
}

static bool shard_lock(uint32_t shard) {
    bool was_left;
    if (!custom_lock(shard, &was_left))
        return false;
    if (UNLIKELY(was_left))
        shard_reset(shard);
    return true;
}

static uint64_t arena_hash(const void *arena) {
    return ((uintptr_t)arena >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint32_t shard_of(const void *arena) {
    return (uint32_t)(arena_hash(arena) >> 60) % CUSTOM_SHARDS;
}

static uint32_t *bucket_of(const void *arena) {
    return &shards[shard_of(arena)].buckets[(arena_hash(arena) >> 54) % BUCKETS];
}

static uint32_t node_take(uint32_t shard) {
    uint32_t *idle = &shards[shard].idle, index = *idle;
    if (index) {
        *idle = node_at(index)->next;
        return index;
    }
    index = __atomic_fetch_add(&nodes_made, 1, __ATOMIC_RELAXED) + 1;
    if (index && table_at(&nodes, index - 1))
        return index;
    gap_set(GAP_MEMORY);
    return 0;
}

static void node_give(uint32_t index) {
    struct node *node = node_at(index);
    uint32_t *idle = &shards[node->shard].idle;
    node->next = *idle;
    *idle = index;
}

static uint32_t arena_find(const void *arena) {
    uint32_t index = *bucket_of(arena);
    while (index && node_at(index)->value != (uintptr_t)arena)
        index = node_at(index)->next;
    return index;
}

static uint32_t arena_made(const void *arena) {
    uint32_t index = arena_find(arena);
    if (!index && (index = node_take(shard_of(arena)))) {
        *node_at(index) = (struct node){(uintptr_t)arena, *bucket_of(arena), 0, shard_of(arena), 0};
        *bucket_of(arena) = index;
    }
    return index;
}

static void arena_drop(uint32_t index) {
    uint32_t *at = bucket_of((const void *)(uintptr_t)node_at(index)->value);
    while (*at && *at != index)
        at = &node_at(*at)->next;
    if (*at)
        *at = node_at(index)->next;
    node_give(index);
}

static uint32_t node_push(const void *arena, uint64_t value, uint32_t depth) {
    uint32_t index = node_take(shard_of(arena)), owner = index ? arena_made(arena) : 0;
    if (!owner)
        return 0;
    uint32_t older = node_at(owner)->back;
    *node_at(index) = (struct node){value, older, owner, shard_of(arena), depth};
    if (older)
        node_at(older)->back = index;
    node_at(owner)->back = index;
    return index;
}

/* Removes a node from its list. The arena is removed with its last node. */
static void node_remove(uint32_t index) {
    struct node *node = node_at(index), *newer = node_at(node->back);
    if (node->next)
        node_at(node->next)->back = node->back;
    bool is_newest = newer->back == index; /* then `newer` is the arena */
    *(is_newest ? &newer->back : &newer->next) = node->next;
    if (is_newest && !node->next)
        arena_drop(node->back);
    node_give(index);
}

static bool is_mark(uint32_t index) {
    return index && node_at(index)->depth == OF_MARK;
}

/* Removes the oldest mark around this one if more than CUSTOM_MARKS have no block between them. */
static void marks_limit(uint32_t index) {
    while (is_mark(node_at(index)->back))
        index = node_at(index)->back;
    for (unsigned count = 1; is_mark(node_at(index)->next);) {
        if (count++ < CUSTOM_MARKS)
            index = node_at(index)->next;
        else
            node_remove(node_at(index)->next);
    }
}

static void unlink_node(uint32_t index) {
    uint32_t older = node_at(index)->next, newer = node_at(index)->back;
    node_remove(index);
    if (is_mark(older) && is_mark(newer))
        marks_limit(older);
}

void custom_arena_add(const void *arena, const struct custom_block *block) {
    uint32_t *cell = custom_block_node(block, true);
    if (!cell || !shard_lock(shard_of(arena)))
        return;
    *cell = node_push(arena, (uintptr_t)block->p, block->depth);
    custom_unlock(shard_of(arena));
}

void custom_arena_remove(const struct custom_block *block) {
    custom_arena_forget(block->p, custom_arena_detach(block));
}

uint32_t custom_arena_detach(const struct custom_block *block) {
    uint32_t *cell = custom_block_node(block, false), node = cell ? *cell : 0;
    if (node)
        *cell = 0;
    return node;
}

/* Locks and returns the node if it still belongs to the block at p. NULL if a release removed it. */
static struct node *lock_node(const void *p, uint32_t index) {
    struct node *node = index ? node_at(index) : NULL;
    uint32_t shard = node ? node->shard : 0;
    if (!node || !shard_lock(shard))
        return NULL;
    if (node->value == (uintptr_t)p && node->depth != OF_MARK)
        return node;
    custom_unlock(shard);
    return NULL;
}

void custom_arena_attach(const struct custom_block *block, uint32_t index) {
    uint32_t *cell = index ? custom_block_node(block, true) : NULL;
    struct node *node = cell ? lock_node(block->p, index) : NULL;
    if (!node)
        return;
    node->depth = block->depth;
    *cell = index;
    custom_unlock(node->shard);
}

void custom_arena_forget(const void *p, uint32_t index) {
    struct node *node = lock_node(p, index);
    uint32_t shard = node ? node->shard : 0;
    if (!node)
        return;
    unlink_node(index);
    custom_unlock(shard);
}

void custom_arena_mark(const void *arena, uint64_t mark) {
    if (!shard_lock(shard_of(arena)))
        return;
    uint32_t owner = arena_find(arena), newest = owner ? node_at(owner)->back : 0;
    bool is_there = is_mark(newest) && node_at(newest)->value == mark;
    uint32_t made = is_there ? 0 : node_push(arena, mark, OF_MARK);
    if (made)
        marks_limit(made);
    custom_unlock(shard_of(arena));
}

/* The target of a release. */
struct goal {
    uint64_t mark;
    bool is_block; /* the block is released too */
    bool is_all;
};

static bool goal_find(uint32_t owner, struct goal *goal) {
    for (uint32_t index = node_at(owner)->back; index; index = node_at(index)->next) {
        const struct node *node = node_at(index);
        if (node->value == goal->mark) {
            goal->is_block = node->depth != OF_MARK;
            return true;
        }
    }
    return goal->is_all = goal->mark == 0;
}

/* A mark that is the target stays. */
static bool goal_is_reached(const struct node *node, const struct goal *goal) {
    return !goal->is_all && !goal->is_block && node->depth == OF_MARK && node->value == goal->mark;
}

/* Removes a node and returns its block. entry is NULL if it is a mark or the block is gone. */
static struct custom_block node_take_block(uint32_t index) {
    const struct node *node = node_at(index);
    struct custom_block block = {(const void *)(uintptr_t)node->value, NULL, node->depth};
    uint32_t *cell = node->depth == OF_MARK ? NULL : custom_block_node(&block, false);
    if (cell && *cell == index) {
        *cell = 0;
        block = custom_block_at(block.p, block.depth);
    }
    unlink_node(index);
    return block;
}

/* Removes the newest blocks, which are visited without the lock: visits may reach other arenas. */
static size_t arena_pop(uint32_t owner, const struct goal *goal, struct custom_block blocks[BATCH],
                        bool *more) {
    size_t count = 0;
    while (*more && count < BATCH) {
        uint32_t index = node_at(owner)->back;
        struct node node = *node_at(index);
        if (goal_is_reached(&node, goal)) {
            *more = false;
            break;
        }
        blocks[count] = node_take_block(index);
        count += blocks[count].entry != NULL;
        *more = node.next && !(goal->is_block && node.value == goal->mark);
    }
    return count;
}

static void arena_release(const void *arena, struct goal goal, custom_visitor *visit, void *context) {
    struct custom_block blocks[BATCH];
    bool more = true, is_first = true;
    while (more) {
        if (!shard_lock(shard_of(arena)))
            return;
        uint32_t owner = arena_find(arena);
        more = owner && (!is_first || goal.is_all || goal_find(owner, &goal));
        if (owner && !more)
            gap_set(GAP_ARENA);
        size_t count = more ? arena_pop(owner, &goal, blocks, &more) : 0;
        custom_unlock(shard_of(arena));
        for (size_t i = 0; i < count; i++)
            visit(context, &blocks[i]);
        is_first = false;
    }
}

void custom_arena_release(const void *arena, uint64_t mark, custom_visitor *visit, void *context) {
    arena_release(arena, (struct goal){.mark = mark}, visit, context);
}

void custom_arena_release_all(const void *arena, custom_visitor *visit, void *context) {
    arena_release(arena, (struct goal){.is_all = true}, visit, context);
}

/* ---- Locks that survive signal handlers, ended threads and forks. */

#define PATIENCE UINT64_C(1000000000) /* nanoseconds */

enum { OPEN, HELD, GIVEN_UP };

static struct table locks = {.element = 64, .first = CUSTOM_SHARDS, .fork = OS_FORK_WIPES};

/* Not wiped by fork. */
static bool is_under_way[CUSTOM_SHARDS];

/* Returns false if another thread holds the lock. */
static bool lock_try(uint32_t *word, uint32_t *state) {
    local.holds_arena = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *state = OPEN;
    if (__atomic_compare_exchange_n(word, state, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return true;
    local.holds_arena = false;
    return false;
}

static uint64_t clock_now(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool lock_wait(uint32_t *word) {
    int error = errno;
    uint32_t state = OPEN;
    if (lock_try(word, &state))
        return true;
    uint32_t tries = 1;
    for (uint64_t begun = clock_now(); state != GIVEN_UP && clock_now() - begun < PATIENCE; tries++) {
        os_wait(tries);
        errno = error;
        if (lock_try(word, &state))
            return true;
    }
    if (state == HELD)
        __atomic_compare_exchange_n(word, &state, GIVEN_UP, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return false;
}

bool custom_lock(uint32_t shard, bool *was_left) {
    uint32_t *word = local.holds_arena ? NULL : table_at(&locks, shard);
    if (!word || !lock_wait(word)) {
        gap_set(GAP_ARENA);
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
