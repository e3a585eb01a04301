/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slots of callers: return addresses of unsited allocations. */
#include "lib/registry/callers.h"

#include "format.h"
#include "lib/base/macros.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/registry/modules.h"
#include "lib/registry/registry.h"

#include "base/hash.h"
#include "lib/base/table.h"
#include "lib/store/store.h"

#include <errno.h>

uint64_t caller_cache[CALLER_CACHE_SIZE];

/* For callers that share their lowest bits with one in the first cache: indexed by the page too. */
static uint64_t second_cache[CALLER_CACHE_SIZE];

static struct index callers = INDEX_OF(SLOT_BITS, 1u << 10);
static uint32_t caller_count;

/* A sixteenth of all slots; sites and stacks use the rest. */
static uint32_t most_callers(void) {
    return slots_most() / 16;
}

static bool is_caller(uint32_t slot, const void *wanted) {
    const struct module_address *caller = wanted;
    const struct record *record = record_at(slot);
    return record && record->module == caller->module && record->address == caller->address;
}

/* Returns 0 if there are too many. */
static uint32_t caller_add(const struct module_address *caller, struct index_seek *seek) {
    struct record record = {.module = caller->module, .what = PROFILE_CALLER, .address = caller->address};
    if (__atomic_load_n(&caller_count, __ATOMIC_RELAXED) >= most_callers())
        return 0;
    uint32_t fresh = record_add(&record);
    uint32_t found = fresh == NO_SLOT ? 0 : index_add(&callers, seek, fresh);
    if (found == fresh)
        __atomic_fetch_add(&caller_count, 1, __ATOMIC_RELAXED);
    else if (fresh != NO_SLOT)
        record_drop(fresh);
    return found;
}

static uint32_t caller_slot_of(const struct module_address *caller) {
    struct index_seek seek = {
        .hash = hash_more((uintptr_t)caller->module, caller->address), .same = is_caller, .key = caller};
    uint32_t found = index_find(&callers, &seek);
    found = found ? found : caller_add(caller, &seek);
    return found ? found : caller->module->slot;
}

static uint64_t cache_word(const void *caller, uint32_t key) {
    return (uintptr_t)caller / CALLER_CACHE_SIZE << CALLER_KEY_BITS | key >> KEY_SHIFT;
}

static uint64_t *first_place(const void *caller) {
    return &caller_cache[(uintptr_t)caller % CALLER_CACHE_SIZE];
}

static uint64_t *second_place(const void *caller) {
    uintptr_t address = (uintptr_t)caller;
    return &second_cache[(address ^ address / CALLER_CACHE_SIZE) % CALLER_CACHE_SIZE];
}

static void caller_remember(const void *caller, uint32_t key, uint32_t unloads_before) {
    bool is_free = !__atomic_load_n(first_place(caller), __ATOMIC_RELAXED);
    uint64_t *place = is_free ? first_place(caller) : second_place(caller);
    if (!unloads_none_since(unloads_before))
        return;
    __atomic_store_n(place, cache_word(caller, key), __ATOMIC_SEQ_CST);
    if (!unloads_none_since(unloads_before))
        __atomic_store_n(place, 0, __ATOMIC_RELAXED);
}

STACK_CALL(uint32_t, caller_key_find, const void *caller) {
    uint32_t unloads_before = unloads_begun();
    struct module_address where = module_address(caller);
    uint32_t slot = where.module ? caller_slot_of(&where) : NO_SLOT;
    if (slot == NO_SLOT)
        return ALLOCSITE_KEY_NONE;
    if (where.module->known) /* code outside of modules may be replaced without notice */
        caller_remember(caller, slot_key(slot), unloads_before);
    return slot_key(slot);
}

COLD uint32_t caller_key_lookup(const void *caller) {
    uint64_t entry = __atomic_load_n(second_place(caller), __ATOMIC_RELAXED);
    if (entry >> CALLER_KEY_BITS == (uintptr_t)caller / CALLER_CACHE_SIZE)
        return (uint32_t)entry << KEY_SHIFT;
    int error = errno;
    uint32_t key = caller_key_find(caller);
    errno = error;
    return key;
}

void callers_forget(void) {
    for (size_t i = 0; i < CALLER_CACHE_SIZE; i++) {
        __atomic_store_n(&caller_cache[i], 0, __ATOMIC_RELAXED);
        __atomic_store_n(&second_cache[i], 0, __ATOMIC_RELAXED);
    }
}
