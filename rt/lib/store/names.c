/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of a profile, found by hash. */
#include "lib/store/store.h"

#include "lib/base/macros.h"
#include "lib/base/state.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "lib/base/table.h"

#include <string.h>

static struct table names = {
    .element = 1, .first = PROFILE_NAMES_FIRST, .areas = &store_areas, .kind = PROFILE_NAMES};
static uint64_t names_end = 8; /* name 0 means no name */

uint64_t names_size(void) {
    return __atomic_load_n(&names_end, __ATOMIC_RELAXED);
}

/* Returns the end of the chunk that holds a name. */
static uint64_t chunk_end(uint64_t name) {
    return chunk_start(PROFILE_NAMES_FIRST, chunk_place(PROFILE_NAMES_FIRST, name).chunk + 1);
}

/* Returns a name for this many bytes within one chunk. If a chunk is too full, its rest stays unused. */
static inline uint64_t name_allocate(size_t size) {
    uint64_t end = __atomic_load_n(&names_end, __ATOMIC_RELAXED), at;
    do {
        at = (end + 3) & ~UINT64_C(3);
        while (at + size > chunk_end(at))
            at = chunk_end(at);
    } while (
        !__atomic_compare_exchange_n(&names_end, &end, at + size, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    return at;
}

/* Returns the memory of a name, in the chunk that holds it. */
static inline void *name_peek(profile_name name) {
    return table_peek_here(&names, PROFILE_NAMES_FIRST, 1, name);
}

/* Names never change, so the memory of a name is never reused. */
static inline bool is_unused(const char *memory, size_t size) {
    while (size && !memory[size - 1])
        size--;
    return !size;
}

static inline profile_name name_make(const void *bytes, size_t size) {
    uint64_t at = name_allocate(size);
    char *memory = at <= UINT32_MAX ? name_peek((uint32_t)at) : NULL;
    if (!memory && at <= UINT32_MAX)
        memory = table_at(&names, (uint32_t)at);
    if (!memory) {
        gap_set(GAP_MEMORY);
        return 0;
    }
    ASSERT(is_unused(memory, size));
    __builtin_memcpy(memory, bytes, size); /* one instruction for a step */
    return (profile_name)at;
}

/* An index stores a quarter of a name, a multiple of 4. Names beyond 128 MiB are never found again. */
#define NAME_BITS 25

static struct index texts = INDEX_OF(NAME_BITS, 1u << 12), frames = INDEX_OF(NAME_BITS, 1u << 10),
                    returns = INDEX_OF(NAME_BITS, 1u << 10);

static bool is_text(uint32_t number, const void *wanted) {
    return strcmp(name_peek(number * 4), wanted) == 0;
}

static bool is_frame(uint32_t number, const void *wanted) {
    return memcmp(name_peek(number * 4), wanted, sizeof(struct profile_frame)) == 0;
}

static bool is_return(uint32_t number, const void *wanted) {
    return memcmp(name_peek(number * 4), wanted, sizeof(struct profile_return)) == 0;
}

static profile_name name_add(struct index *index, index_same *same, const void *bytes, size_t size) {
    struct index_seek seek = {.hash = hash_more(fnv_1a(bytes, size), size), .same = same, .key = bytes};
    uint32_t found = index_find(index, &seek);
    profile_name fresh = found ? 0 : name_make(bytes, size);
    found = fresh ? index_add(index, &seek, fresh / 4) : found;
    return found ? found * 4 : fresh;
}

profile_name names_text(const char *text) {
    return text ? name_add(&texts, is_text, text, strlen(text) + 1) : 0;
}

profile_name names_frame(const struct profile_frame *frame) {
    return name_add(&frames, is_frame, frame, sizeof *frame);
}

profile_name names_return(const struct profile_return *to) {
    return name_add(&returns, is_return, to, sizeof *to);
}

const struct profile_frame *names_frame_at(profile_name name) {
    return name ? name_peek(name) : NULL;
}

static struct index steps = INDEX_OF(NAME_BITS, 1u << 15);
static uint32_t step_count;

/* With their index they take at most 32 MiB. */
#define STEPS_MOST (1u << 21)
#define STEPS_CUT  (1u << 17) /* additional steps for cut paths */

static bool is_step(uint32_t number, const void *wanted) {
    const struct profile_step *step = name_peek(number * 4), *other = wanted;
    return step->caller == other->caller && step->to == other->to;
}

bool names_have_step(void) {
    return __atomic_load_n(&step_count, __ATOMIC_RELAXED) < STEPS_MOST;
}

profile_name names_step(const struct profile_step *step, bool may_add, bool *is_new) {
    struct index_seek seek = {.hash = hash_more(step->caller, step->to), .same = is_step, .key = step};
    uint32_t found = *is_new ? index_end(&steps, &seek) : index_find(&steps, &seek);
    if (found || !may_add || __atomic_load_n(&step_count, __ATOMIC_RELAXED) >= STEPS_MOST + STEPS_CUT)
        return found * 4;
    profile_name fresh = name_make(step, sizeof *step);
    ASSERT(!fresh || step->caller < fresh); /* so that a walk to the outermost frame ends */
    __atomic_fetch_add(&step_count, 1, __ATOMIC_RELAXED);
    found = fresh ? index_add(&steps, &seek, fresh / 4) * 4 : 0;
    *is_new = found == fresh;
    return found;
}

const struct profile_step *names_step_at(profile_name name) {
    return name ? name_peek(name) : NULL;
}

const struct profile_return *names_return_at(profile_name name) {
    return name ? name_peek(name) : NULL;
}
