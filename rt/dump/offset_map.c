/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A map from offsets in a file to 64-bit values: open addressing, at most half full. */
#include "offset_map.h"

#include <stdlib.h>

static struct offset_entry *entry_of(const struct offset_map *map, uint64_t offset) {
    size_t slot = (offset * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (map->capacity - 1);
    while (map->entries[slot].offset && map->entries[slot].offset != offset + 1)
        slot = (slot + 1) & (map->capacity - 1);
    return &map->entries[slot];
}

static bool grow(struct offset_map *map) {
    struct offset_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 1024, .count = map->count};
    bigger.entries = calloc(bigger.capacity, sizeof *bigger.entries);
    if (!bigger.entries)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].offset)
            *entry_of(&bigger, map->entries[i].offset - 1) = map->entries[i];
    free(map->entries);
    *map = bigger;
    return true;
}

bool offset_map_get(const struct offset_map *map, uint64_t offset, uint64_t *value) {
    if (map->count == 0)
        return false;
    const struct offset_entry *entry = entry_of(map, offset);
    *value = entry->value;
    return entry->offset != 0;
}

void offset_map_put(struct offset_map *map, uint64_t offset, uint64_t value) {
    if (map->count * 2 >= map->capacity && !grow(map))
        return;
    *entry_of(map, offset) = (struct offset_entry){offset + 1, value};
    map->count++;
}

void offset_map_free(struct offset_map *map) {
    free(map->entries);
    *map = (struct offset_map){0};
}
