/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Strings that are kept once each. */
#include "string_pool.h"
#include "grow.h"

#include <string.h>

static bool is_string(const void *key, const void *context, size_t element) {
    const struct string_pool *pool = context;
    return strcmp(key, pool->list[element]) == 0;
}

bool string_pool_keep(struct string_pool *pool, const char **text) {
    if (!*text)
        return true;
    uint64_t hash = hash_text(0, *text);
    size_t found = hash_find(&pool->index, hash, is_string, *text, pool);
    if (found == HASH_NONE) {
        char *copy = strdup(*text);
        found = pool->count;
        if (!copy || !grow(&pool->list, found, &pool->room, sizeof *pool->list) ||
            !hash_add(&pool->index, hash, found)) {
            free(copy);
            return false;
        }
        pool->list[pool->count++] = copy;
    }
    *text = pool->list[found];
    return true;
}

void string_pool_free(struct string_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->list[i]);
    free(pool->list);
    hash_free(&pool->index);
}
