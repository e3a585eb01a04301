/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An array that grows without moving. */
#include "lib/base/table.h"

#include "lib/base/stack.h"

void *table_peek(const struct table *table, uint32_t index) {
    return table_peek_here(table, table->first, table->element, index);
}

/* Publishes the chunk last: nothing may be written before the memory is in the file. */
STACK_CALL(void, table_map_chunk, struct table *table, uint32_t chunk) {
    size_t size = chunk_size(table->first, chunk) * table->element;
    char *fresh = os_map(size, table->fork);
    char *none = NULL;
    if (!fresh)
        return;
    uint32_t area = table->areas ? table->areas->add(table->kind, chunk, 0, fresh, size) : 0;
    if (__atomic_compare_exchange_n(&table->chunks[chunk], &none, fresh, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return;
    if (table->areas)
        table->areas->drop(area); /* not unmapped, because another thread may be copying it */
    else
        os_unmap(fresh, size);
}

void *table_at(struct table *table, uint32_t index) {
    void *element = table_peek(table, index);
    uint32_t chunk = chunk_place(table->first, index).chunk;
    if (element || chunk >= TABLE_CHUNKS)
        return element;
    table_map_chunk(table, chunk);
    return table_peek(table, index);
}

#define ARENA_CHUNK ((size_t)256 << 10)

struct arena {
    size_t used;
    char data[];
};

static struct arena *arena;

/* Maps a new chunk, unless another thread has just done so. Returns false if memory is out. */
static bool arena_renew(struct arena *full) {
    struct arena *fresh = os_map(ARENA_CHUNK, OS_FORK_KEEPS);
    if (!fresh)
        return __atomic_load_n(&arena, __ATOMIC_ACQUIRE) != full;
    if (!__atomic_compare_exchange_n(&arena, &full, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        os_unmap(fresh, ARENA_CHUNK);
    return true;
}

void *arena_take(size_t size) {
    const size_t capacity = ARENA_CHUNK - sizeof(struct arena);
    size = (size + 15) & ~(size_t)15;
    if (size > capacity / 4)
        return os_map(size, OS_FORK_KEEPS);
    for (;;) {
        struct arena *chunk = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
        if (chunk) {
            size_t at = __atomic_fetch_add(&chunk->used, size, __ATOMIC_RELAXED);
            if (at + size <= capacity)
                return chunk->data + at;
        }
        if (!arena_renew(chunk))
            return NULL;
    }
}
