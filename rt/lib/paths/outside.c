/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/paths/outside.h"

#include "base/hash.h"
#include "lib/base/local.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/stack.h"
#include "lib/paths/stack_cache.h"
#include "lib/registry/callers.h"
#include "lib/registry/modules.h"
#include "lib/walk/walk.h"

#include <errno.h>

/* Most searches end within a few frames. If more frames are in libraries, the library is assumed to allocate
 * for itself. */
enum { FRAMES_FEW = 8, FRAMES_MOST = 32 };

/* A cache of stacks, indexed by a hash of the caller and its depth. The upper half of a word has more bits of
 * the hash. The lower half has the result of stack_cache_keep. */
enum { PLACES_COUNT = 1 << 12 };

static uint64_t *places;

static uint64_t *place_table(void) {
    uint64_t *table = __atomic_load_n(&places, __ATOMIC_ACQUIRE);
    if (LIKELY(table != NULL))
        return table;
    uint64_t *fresh = stack_cache_begin() ? os_map(sizeof *fresh * PLACES_COUNT, OS_FORK_KEEPS) : NULL;
    if (!fresh ||
        __atomic_compare_exchange_n(&places, &table, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    os_unmap(fresh, sizeof *fresh * PLACES_COUNT);
    return table;
}

/* Buffers of standard streams belong to no line of the program. Readers recognise them by this function. */
extern int _IO_file_doallocate(void *) __attribute__((weak));

static bool is_stream_buffer(const void *caller) {
    enum { SIZE_MOST = 512 }; /* 351 bytes in glibc 2.36 */
    uintptr_t begin = (uintptr_t)_IO_file_doallocate;
    return begin && (uintptr_t)caller - begin < SIZE_MOST;
}

static bool is_at(const void *frame, const struct record *record) {
    struct module_address at = module_address(frame);
    return at.module == record->module && at.address == record->address;
}

static bool is_instrumented(const void *frame) {
    const struct module *module = module_address(frame).module;
    return module && __atomic_load_n(&module->is_instrumented, __ATOMIC_RELAXED);
}

/* Returns the index of the library's call; 0 if it is not on the stack, for example after a tail call. If the
 * library called a function of the program that allocates, this function is below the call. */
static size_t find_call(const struct record *record, const void *const *frames, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (is_at(frames[i], record))
            return i;
    return 0;
}

/* Returns the index of the first instrumented frame; count: there is none. */
static size_t find_instrumented(const struct record *record, const void *const *frames, size_t count) {
    size_t i = find_call(record, frames, count);
    if (i < count && is_stream_buffer(frames[i]))
        return count;
    while (i < count && !is_instrumented(frames[i]))
        i++;
    return i;
}

/* depends: the number of frames that the result depends on. */
static uint32_t outside_search(uint32_t slot, const void *frame, size_t *depends) {
    const void *frames[FRAMES_MOST];
    enum walk_end end;
    size_t most = FRAMES_FEW, count = walk_stack_from(frame, frames, most, &end);
    size_t found = find_instrumented(record_at(slot), frames, count);
    if (found == count && end == WALK_FULL) {
        most = FRAMES_MOST;
        count = walk_stack_from(frame, frames, most, &end);
        found = find_instrumented(record_at(slot), frames, count);
    }
    uint32_t caller = found < count ? caller_slot(frames[found]) : NO_SLOT;
    *depends = found < count ? found + 1 : end == WALK_FULL ? count : SIZE_MAX;
    return caller == NO_SLOT ? slot : caller;
}

STACK_CALL(uint32_t, outside_slot_searched, uint32_t slot) {
    const void *frame = __builtin_frame_address(0);
    uint64_t *table = place_table();
    uint64_t hash = hash_more(unloads_both() + slot, local.stack.high - (uintptr_t)frame);
    uint64_t *place = table ? &table[hash % PLACES_COUNT] : NULL;
    uint64_t word = place ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : 0;
    uint32_t others = word >> 32 == hash >> 32 && word ? (uint32_t)word : ALLOCSITE_KEY_NONE;
    uint32_t key = others != ALLOCSITE_KEY_NONE ? stack_cache_find(others, frame) : ALLOCSITE_KEY_NONE;
    if (LIKELY(key != ALLOCSITE_KEY_NONE))
        return key_slot(key);
    int error = errno;
    size_t depends;
    uint32_t unloads_before = unloads_begun(), found = outside_search(slot, frame, &depends);
    uint32_t kept = place ? stack_cache_keep(others, frame, depends, KEY(found)) : ALLOCSITE_KEY_NONE;
    if (kept != ALLOCSITE_KEY_NONE && unloads_none_since(unloads_before))
        __atomic_store_n(place, hash >> 32 << 32 | kept, __ATOMIC_RELEASE);
    errno = error;
    return found;
}
