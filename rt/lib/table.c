/* An array that grows without ever moving.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "table.h"
#include "store.h"

/* Chunk k holds the indices from first * (2^k - 1) on. */
struct table_position table_position(const struct table *table, uint32_t index) {
    uint64_t scaled = (uint64_t)index / table->first + 1;
    uint32_t chunk = 63 - (uint32_t)__builtin_clzll(scaled);
    uint64_t start = (uint64_t)table->first * ((1ull << chunk) - 1);
    return (struct table_position){chunk, index - start};
}

void *table_peek(const struct table *table, uint32_t index) {
    struct table_position at = table_position(table, index);
    if (at.chunk >= TABLE_CHUNKS)
        return NULL;
    char *chunk = __atomic_load_n(&table->chunks[at.chunk], __ATOMIC_ACQUIRE);
    return chunk ? chunk + at.offset * table->element : NULL;
}

/* Publishes it only when it is all that it will be: nobody may write to it before it is in the file. */
static void map_chunk(struct table *table, uint32_t chunk) {
    size_t size = ((size_t)table->first << chunk) * table->element;
    char *fresh = os_map(size, table->fork);
    char *none = NULL;
    if (!fresh)
        return;
    uint32_t area = table->kind ? store_add(table->kind, chunk, 0, fresh, size) : 0;
    if (__atomic_compare_exchange_n(&table->chunks[chunk], &none, fresh, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return;
    if (table->kind)
        store_drop(area); /* and no more: somebody may be copying it */
    else
        os_unmap(fresh, size);
}

void *table_at(struct table *table, uint32_t index) {
    void *element = table_peek(table, index);
    uint32_t chunk = table_position(table, index).chunk;
    if (element || chunk >= TABLE_CHUNKS)
        return element;
    map_chunk(table, chunk);
    return table_peek(table, index);
}

void table_tell(const struct table *table, uint32_t index, size_t offset, const void *bytes, size_t size) {
    struct table_position at = table_position(table, index);
    store_tell(table->kind, at.chunk, at.offset * table->element + offset, bytes, size);
}
