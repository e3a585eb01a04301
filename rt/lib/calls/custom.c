/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that instrumented definitions of custom allocators call. */
#include "lib/custom_alloc/custom.h"
#include "format.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/state.h"
#include "lib/calls/entry.h"
#include "lib/count/change.h"
#include "lib/custom_alloc/arenas.h"
#include "lib/paths/origin.h"

#include <errno.h>

/* Returns the number of custom allocators in progress around this one. The allocator passes it back when it
 * is left. Functions that replace no allocator call have no site parameter. */
ALLOCSITE_EXPORT uint64_t __liballocsite_v1_custom_enter(void) {
    uint32_t around = local.custom;
    custom_enter(around + 1);
    return around;
}

/* Called on every exit from a custom allocator that does not return a block. */
ALLOCSITE_EXPORT void __liballocsite_v1_custom_leave(uint64_t around) {
    custom_leave((uint32_t)around);
}

ALLOCSITE_EXPORT void __liballocsite_v1_allocsite_custom_alloc(const void *p, size_t bytes, uint64_t around,
                                                               const void *arena,
                                                               struct allocsite_site *site) {
    struct origin origin = {.site = site};
    custom_leave((uint32_t)around);
    if (p && !arena && custom_gain_quickly(site, p, bytes))
        return;
    int error = errno;
    bool counts = runtime_counts();
    if (counts && p)
        custom_gain(origin, p, bytes, arena);
    else if (counts)
        custom_fail(origin);
    errno = error;
}

ALLOCSITE_EXPORT void __liballocsite_v1_allocsite_custom_free(const void *p, struct allocsite_site *site) {
    if (!p || runtime_off || custom_lose_quickly(p))
        return;
    int error = errno;
    struct custom_block block =
        custom_block_find(p, local.custom > 1); /* the function that frees is in progress */
    if (block.entry)
        custom_lose(&BY_SITE(site), &block);
    errno = error;
}

ALLOCSITE_EXPORT void __liballocsite_v1_custom_mark(const void *arena, uint64_t mark) {
    int error = errno;
    if (runtime_counts())
        custom_arena_mark(arena, mark);
    errno = error;
}

ALLOCSITE_EXPORT void __liballocsite_v1_allocsite_custom_release(const void *arena, uint64_t mark,
                                                                 struct allocsite_site *site) {
    int error = errno;
    if (!runtime_off)
        custom_arena_release(arena, mark, custom_lose, &BY_SITE(site));
    errno = error;
}

ALLOCSITE_EXPORT void __liballocsite_v1_allocsite_custom_release_all(const void *arena,
                                                                     struct allocsite_site *site) {
    int error = errno;
    if (!runtime_off)
        custom_arena_release_all(arena, custom_lose, &BY_SITE(site));
    errno = error;
}

/* The old block of a realloc in progress. */
struct token {
    const void *old;
    uint64_t entry; /* 0: no block of a custom allocator */
    uint32_t around;
    uint32_t depth;
    uint32_t node;
    uint32_t unused;
};

_Static_assert(sizeof(struct token) == ALLOCSITE_TOKEN_WORDS * 8, "the plugin makes room for it");

/* Removes the old block from the table before another thread can get its memory. */
ALLOCSITE_EXPORT void __liballocsite_v1_custom_realloc_enter(struct token *token, const void *old) {
    uint32_t around = local.custom;
    struct custom_block block = {.p = old};
    int error = errno;
    if (old && !runtime_off)
        block = custom_block_find(old, around > 0);
    *token = (struct token){.old = old, .around = around, .depth = block.depth};
    if (block.entry) {
        token->entry = *block.entry;
        if (births_wanted && !(token->entry & CUSTOM_CHUNK))
            birth_take(old); /* dropped, because the token has no room for it */
        token->node = custom_arena_detach(&block);
        *block.entry = 0;
    }
    custom_enter(around + 1);
    errno = error;
}

/* Restores the old block after a failed realloc. */
static void put_back(const struct token *token) {
    if (!token->entry)
        return;
    struct custom_block block = custom_block_put(token->old, custom_slot(token->entry),
                                                 custom_size(token->entry), token->entry & CUSTOM_CHUNK);
    if (block.entry)
        custom_arena_attach(&block, token->node);
}

static void custom_moved(const struct token *token, struct origin origin, const void *p, size_t bytes,
                         const void *arena) {
    struct custom_block block = custom_move(origin, token->entry, token->old, p, bytes);
    if (block.entry && token->node && p == token->old) {
        custom_arena_attach(&block, token->node);
        return;
    }
    custom_arena_forget(token->old, token->node);
    if (block.entry && arena)
        custom_arena_add(arena, &block);
}

/* A realloc to size 0 may free the block and return NULL, which is no failure. */
static void realloc_end(const struct token *token, struct origin origin, const void *p, size_t bytes,
                        const void *arena) {
    if (p && token->old) {
        custom_moved(token, origin, p, bytes, arena);
    } else if (p) {
        custom_gain(origin, p, bytes, arena);
    } else if (bytes) {
        put_back(token);
        custom_fail(origin);
    } else if (token->entry) {
        custom_lose_entry(token->entry, token->old, origin);
        custom_arena_forget(token->old, token->node);
    }
}

/* Does not count a realloc that the runtime itself called for, but counts the old block as freed. */
static void realloc_end_silent(const struct token *token, struct origin origin, const void *p, size_t bytes) {
    if (!p && bytes) {
        put_back(token);
    } else if (token->entry) {
        custom_lose_entry(token->entry, token->old, origin);
        custom_arena_forget(token->old, token->node);
    }
}

ALLOCSITE_EXPORT void __liballocsite_v1_allocsite_custom_realloc(const void *p, size_t bytes,
                                                                 struct token *token, const void *arena,
                                                                 struct allocsite_site *site) {
    int error = errno;
    custom_leave(token->around);
    struct origin origin = {.site = site};
    if (runtime_counts())
        realloc_end(token, origin, p, bytes, arena);
    else if (!runtime_off)
        realloc_end_silent(token, origin, p, bytes);
    errno = error;
}
