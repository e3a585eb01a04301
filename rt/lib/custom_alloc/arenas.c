/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The blocks of each arena, newest first. */
#include "lib/custom_alloc/arenas.h"

#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/state.h"

#include "lib/base/table.h"

#include <errno.h>
#include <time.h>

enum {
    BUCKETS = 64,         /* in each shard */
    BATCH = 64,           /* blocks that are taken out of a list before what they are is looked at */
    OF_MARK = UINT32_MAX, /* the depth of a mark */
};

/* Indices + 1 throughout; 0: none. An arena and its blocks and marks are nodes alike. */
struct node {
    uint64_t value; /* address of the arena or of the block, or the mark */
    uint32_t next;  /* older one; of an arena: the next one in the bucket */
    uint32_t back;  /* newer one; of the newest: the arena's own; of an arena: its newest */
    uint32_t shard;
    uint32_t depth; /* of the block in its table */
};

struct shard {
    uint32_t idle; /* nodes that are not used now */
    uint32_t buckets[BUCKETS];
};

static struct shard shards[CUSTOM_SHARDS];
static uint32_t nodes_made;
static struct table nodes = {.element = sizeof(struct node), .first = 1024};

static struct node *node_at(uint32_t index) {
    return table_peek(&nodes, index - 1);
}

/* Forgets the arenas of a shard. No block will find the nodes that are left, as if they were a mark's. */
static COLD void begin_anew(uint32_t shard) {
    shards[shard] = (struct shard){0};
    for (uint32_t i = 1; i <= __atomic_load_n(&nodes_made, __ATOMIC_RELAXED); i++)
        if (node_at(i) && node_at(i)->shard == shard)
            node_at(i)->depth = OF_MARK;
    hole_set(HOLE_ARENA);
}

static bool lock(uint32_t shard) {
    bool was_left;
    if (!custom_lock(shard, &was_left))
        return false;
    if (UNLIKELY(was_left))
        begin_anew(shard);
    return true;
}

static uint64_t hash(const void *arena) {
    return ((uintptr_t)arena >> 4) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint32_t shard_of(const void *arena) {
    return (uint32_t)(hash(arena) >> 60) % CUSTOM_SHARDS;
}

static uint32_t *bucket_of(const void *arena) {
    return &shards[shard_of(arena)].buckets[(hash(arena) >> 54) % BUCKETS];
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
    hole_set(HOLE_MEMORY);
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

static uint32_t push(const void *arena, uint64_t value, uint32_t depth) {
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

/* Out of its list; the arena goes with the last one. */
static void cut(uint32_t index) {
    struct node *node = node_at(index), *newer = node_at(node->back);
    if (node->next)
        node_at(node->next)->back = node->back;
    bool is_newest = newer->back == index; /* then that is the arena */
    *(is_newest ? &newer->back : &newer->next) = node->next;
    if (is_newest && !node->next)
        arena_drop(node->back);
    node_give(index);
}

static bool is_mark(uint32_t index) {
    return index && node_at(index)->depth == OF_MARK;
}

/* Of the marks around this one that no block stands between, drops the oldest. There never are many more. */
static void forget_marks(uint32_t index) {
    while (is_mark(node_at(index)->back))
        index = node_at(index)->back;
    for (unsigned count = 1; is_mark(node_at(index)->next);) {
        if (count++ < CUSTOM_MARKS)
            index = node_at(index)->next;
        else
            cut(node_at(index)->next);
    }
}

static void unlink_node(uint32_t index) {
    uint32_t older = node_at(index)->next, newer = node_at(index)->back;
    cut(index);
    if (is_mark(older) && is_mark(newer))
        forget_marks(older);
}

void custom_arena_add(const void *arena, const struct custom_block *block) {
    uint32_t *cell = custom_block_node(block, true);
    if (!cell || !lock(shard_of(arena)))
        return;
    *cell = push(arena, (uintptr_t)block->p, block->depth);
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

/* Of a block at p still; a release may have come by. */
static struct node *lock_node(const void *p, uint32_t index) {
    struct node *node = index ? node_at(index) : NULL;
    uint32_t shard = node ? node->shard : 0;
    if (!node || !lock(shard))
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
    if (!lock(shard_of(arena)))
        return;
    uint32_t owner = arena_find(arena), newest = owner ? node_at(owner)->back : 0;
    bool is_there = is_mark(newest) && node_at(newest)->value == mark;
    uint32_t made = is_there ? 0 : push(arena, mark, OF_MARK);
    if (made)
        forget_marks(made);
    custom_unlock(shard_of(arena));
}

/* Where a release goes back to. */
struct goal {
    uint64_t mark;
    bool is_block; /* which goes too */
    bool is_all;
};

static bool find_goal(uint32_t owner, struct goal *goal) {
    for (uint32_t index = node_at(owner)->back; index; index = node_at(index)->next) {
        const struct node *node = node_at(index);
        if (node->value == goal->mark) {
            goal->is_block = node->depth != OF_MARK;
            return true;
        }
    }
    return goal->is_all = goal->mark == 0;
}

/* A mark that is gone back to stays. */
static bool is_end(const struct node *node, const struct goal *goal) {
    return !goal->is_all && !goal->is_block && node->depth == OF_MARK && node->value == goal->mark;
}

/* The block of a node, which leaves its list; entry NULL: it is a mark, or the block is not there any more.
 */
static struct custom_block take_off(uint32_t index) {
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

/* Takes the newest blocks out of the list. They are looked at outside of the lock, for that may come to other
 * arenas. */
static size_t pop(uint32_t owner, const struct goal *goal, struct custom_block blocks[BATCH], bool *more) {
    size_t count = 0;
    while (*more && count < BATCH) {
        uint32_t index = node_at(owner)->back;
        struct node node = *node_at(index);
        if (is_end(&node, goal)) {
            *more = false;
            break;
        }
        blocks[count] = take_off(index);
        count += blocks[count].entry != NULL;
        *more = node.next && !(goal->is_block && node.value == goal->mark);
    }
    return count;
}

static void release(const void *arena, struct goal goal, custom_visitor *visit, void *context) {
    struct custom_block blocks[BATCH];
    bool more = true, is_first = true;
    while (more) {
        if (!lock(shard_of(arena)))
            return;
        uint32_t owner = arena_find(arena);
        more = owner && (!is_first || goal.is_all || find_goal(owner, &goal));
        if (owner && !more)
            hole_set(HOLE_ARENA);
        size_t count = more ? pop(owner, &goal, blocks, &more) : 0;
        custom_unlock(shard_of(arena));
        for (size_t i = 0; i < count; i++)
            visit(context, &blocks[i]);
        is_first = false;
    }
}

void custom_arena_release(const void *arena, uint64_t mark, custom_visitor *visit, void *context) {
    release(arena, (struct goal){.mark = mark}, visit, context);
}

void custom_arena_release_all(const void *arena, custom_visitor *visit, void *context) {
    release(arena, (struct goal){.is_all = true}, visit, context);
}

/* ---- Locks that a signal handler, a dead thread and a fork can do no harm to. */

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
