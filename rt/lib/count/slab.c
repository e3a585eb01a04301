/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory of slabs. */
#include "lib/count/threads.h"

#include "lib/count/change.h"
#include "lib/count/pairs.h"
#include "lib/store/store.h"

#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/registry/registry.h"

#include "lib/base/os.h"
#include "lib/base/table.h"

#include <sys/resource.h>

/* The address space of a slab if the process has a limit, in slots. */
#define SLOTS_LEAST (1u << 14)

struct slab_memory {
    char *tallies; /* followed by the extras and the rares */
    uint32_t slots;
};

static struct table memories = {.element = sizeof(struct slab_memory), .first = 128, .fork = OS_FORK_KEEPS};
static struct table slabs = {.element = sizeof(struct slab), .first = 64, .fork = OS_FORK_WIPES};
static struct table blocks = {.element = sizeof(struct profile_block),
                              .first = PROFILE_BLOCKS_FIRST,
                              .fork = OS_FORK_WIPES,
                              .areas = &store_areas,
                              .kind = PROFILE_BLOCKS};

enum { EACH = sizeof(struct tally) + sizeof(struct extra) + sizeof(struct rare) };

static void slab_map(struct slab_memory *memory) {
    bool is_limited = os_address_space() != RLIM_INFINITY;
    memory->tallies = is_limited ? NULL : os_map(SLOTS_MOST * EACH, OS_FORK_WIPES);
    memory->slots = memory->tallies ? SLOTS_MOST : SLOTS_LEAST;
    if (memory->tallies)
        return;
    memory->tallies = os_map(SLOTS_LEAST * EACH, OS_FORK_WIPES);
    slots_limit(SLOTS_LEAST);
}

bool forked_within_event;

/* Reuses the parent's memory, which was wiped. If a signal handler has forked, the new memory contains the
 * counts that the interrupted event added after the fork. Discards them, and those that are not in
 * tallies. */
static void slab_reuse(uint32_t number, const struct slab_memory *memory) {
    store_drop_slab(number);
    os_empty(memory->tallies, memory->slots * EACH);
    if (!forked_within_event)
        return;
    forked_within_event = false;
    pairs_reset();
    sizes_reset();
    lifetimes_reset();
}

bool slab_make(uint32_t number, profile_name phase, uint32_t thread, uint32_t next) {
    struct slab_memory *memory = table_at(&memories, number);
    struct slab *slab = table_at(&slabs, number);
    struct profile_block *block = table_at(&blocks, number);
    if (!memory || !slab)
        return false;
    if (memory->tallies)
        slab_reuse(number, memory);
    else
        slab_map(memory);
    if (!memory->tallies)
        return false;
    struct tally *tallies = (struct tally *)memory->tallies;
    struct extra *extras = (struct extra *)(tallies + memory->slots);
    *slab = (struct slab){.tallies = tallies,
                          .extras = extras,
                          .rares = (struct rare *)(extras + memory->slots),
                          .phase = phase,
                          .thread = thread,
                          .next = next};
    if (block)
        *block = (struct profile_block){.phase = phase, .thread = thread};
    return true;
}

bool slab_overlaps(uintptr_t begin, uintptr_t end) {
    const struct slab_memory *memory;
    for (uint32_t i = 0; (memory = table_peek(&memories, i)); i++) {
        uintptr_t first = (uintptr_t)memory->tallies;
        size_t size = memory->slots * EACH;
        if (first && begin < first + size && end > first)
            return true;
    }
    return false;
}

const struct slab *slab_peek(uint32_t number) {
    return table_peek(&slabs, number);
}

struct profile_block *slab_block(uint32_t number) {
    return table_peek(&blocks, number);
}

static uint32_t min_of(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* A slab doubles, but only up to an eighth more than the slots in use, because all of it takes space in the
 * file. Without the eighth, each new slot might add a page. */
static uint32_t more_slots(uint32_t held, uint32_t in_page) {
    uint32_t known = record_count(), sufficient = known + known / 8;
    uint32_t missing = sufficient > held ? sufficient - held : 0;
    uint32_t more = min_of(missing, held) / in_page * in_page;
    return more ? more : in_page;
}

/* Areas are whole pages. The slots below the last one of the area are within the capacity. */
static bool slab_grow(uint32_t *capacity, uint32_t slot, uint32_t number, enum profile_kind kind, void *array,
                      uint32_t size) {
    const struct slab_memory *memory = table_peek(&memories, number);
    uint32_t held = *capacity ? (*capacity >> KEY_SHIFT) + 1 : 0;
    while (KEY(slot) >= *capacity) {
        uint32_t more = min_of(more_slots(held, PROFILE_PAGE / size), memory->slots - held);
        if (!more)
            return false;
        ASSERT(held + more <= memory->slots);
        store_add(kind, number, held, (char *)array + (size_t)held * size, (size_t)more * size);
        held += more;
        __atomic_store_n(capacity, KEY(held - 1), __ATOMIC_RELEASE);
    }
    return true;
}

const struct slab *slab_hold(uint32_t number, uint32_t slot, bool extras) {
    struct slab *slab = table_peek(&slabs, number);
    if (!slab_grow(&slab->capacity, slot, number, PROFILE_TALLIES, slab->tallies, sizeof *slab->tallies) ||
        (extras &&
         !slab_grow(&slab->extra_capacity, slot, number, PROFILE_EXTRAS, slab->extras, sizeof *slab->extras)))
        return NULL;
    return slab;
}

struct rare *slab_rare(uint32_t number, uint32_t slot) {
    struct slab *slab = table_peek(&slabs, number);
    bool holds =
        slab_grow(&slab->rare_capacity, slot, number, PROFILE_RARES, slab->rares, sizeof *slab->rares);
    return holds ? &slab->rares[slot] : NULL;
}

struct slab_counts slab_counts(const struct slab *slab, uint32_t slot) {
    static const struct extra no_extra;
    static const struct rare no_rare;
    return (struct slab_counts){&slab->tallies[slot],
                                KEY(slot) < slab->extra_capacity ? &slab->extras[slot] : &no_extra,
                                KEY(slot) < slab->rare_capacity ? &slab->rares[slot] : &no_rare};
}
