/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a forked child without a profile has inherited. */
#include "remote_inherited.h"

#include <stdlib.h>

struct surplus {
    int64_t blocks, bytes; /* came and are not gone */
};

/* Those that have a record. */
static uint64_t slots_of(const struct remote_areas *areas, uint64_t records) {
    uint64_t most = 0;
    for (size_t i = 0; i < areas->count; i++) {
        const struct profile_area *area = &areas->list[i].area;
        uint64_t end = area->first + area->size / sizeof(struct tally);
        if (area->kind == PROFILE_TALLIES && area->first < records && end > most)
            most = end;
    }
    return most < records ? most : records;
}

static void add_area(struct surplus *surplus, uint64_t slots, const struct profile_area *area,
                     const char *image) {
    const struct tally *tally = (const struct tally *)(const void *)(image + area->offset);
    uint64_t count = area->size / sizeof *tally;
    for (uint64_t i = 0; i < count && area->first < slots && i < slots - area->first; i++) {
        surplus[area->first + i].blocks += (int64_t)(tally[i].gained - tally[i].lost);
        surplus[area->first + i].bytes += (int64_t)(tally[i].gained_bytes - tally[i].lost_bytes);
    }
}

/* Where the chunks of the slots are in the image; 0: nowhere yet. */
struct chunks {
    uint64_t offsets[PROFILE_CHUNKS];
    uint64_t slots[PROFILE_CHUNKS]; /* in each */
};

static void find_chunks(struct chunks *chunks, const struct remote_areas *areas) {
    *chunks = (struct chunks){.offsets = {0}};
    for (size_t i = 0; i < areas->count; i++) {
        const struct profile_area *area = &areas->list[i].area;
        if (area->kind != PROFILE_SLOTS || area->index >= PROFILE_CHUNKS)
            continue;
        chunks->offsets[area->index] = area->offset;
        chunks->slots[area->index] = area->size / sizeof(struct profile_slot);
    }
}

static bool add_chunk(struct chunks *chunks, struct profile_image *image, unsigned number) {
    chunks->slots[number] = (uint64_t)PROFILE_SLOTS_FIRST << number;
    struct profile_area area = {
        .kind = PROFILE_SLOTS, .index = number, .size = chunks->slots[number] * sizeof(struct profile_slot)};
    return profile_image_add(image, &area, &chunks->offsets[number]);
}

static bool enter(struct chunks *chunks, struct profile_image *image, uint64_t slot,
                  const struct surplus *surplus) {
    unsigned number = 63 - (unsigned)__builtin_clzll(slot / PROFILE_SLOTS_FIRST + 1);
    uint64_t place = slot - PROFILE_SLOTS_FIRST * ((UINT64_C(1) << number) - 1);
    if (!chunks->offsets[number] && !add_chunk(chunks, image, number))
        return false;
    if (place >= chunks->slots[number])
        return true;
    struct profile_slot *to = (struct profile_slot *)(void *)(image->bytes + chunks->offsets[number]) + place;
    to->inherited_blocks = surplus->blocks < 0 ? -(uint64_t)surplus->blocks : 0;
    to->inherited_bytes = surplus->bytes < 0 ? -(uint64_t)surplus->bytes : 0;
    return true;
}

bool remote_inherited_add(const struct remote_areas *areas, struct profile_image *image, uint32_t records) {
    struct chunks chunks;
    uint64_t slots = slots_of(areas, records);
    struct surplus *surplus = calloc(slots + 1, sizeof *surplus);
    bool is_done = surplus != NULL;
    for (size_t i = 0; is_done && i < areas->count; i++)
        if (areas->list[i].area.kind == PROFILE_TALLIES)
            add_area(surplus, slots, &areas->list[i].area, image->bytes);
    find_chunks(&chunks, areas);
    for (uint64_t slot = 0; is_done && slot < slots; slot++)
        if (surplus[slot].blocks < 0 || surplus[slot].bytes < 0)
            is_done = enter(&chunks, image, slot, &surplus[slot]);
    free(surplus);
    return is_done;
}
