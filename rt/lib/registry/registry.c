/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots of sites, and the data that name them. Lock-free: a signal handler may interrupt at any point. */
#include "lib/registry/registry.h"
#include "base/hash.h"
#include "format.h"
#include "lib/base/macros.h"
#include "lib/base/os.h"
#include "lib/base/slot.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/registry/callers.h"
#include "lib/registry/descriptor.h"
#include "lib/registry/modules.h"
#include "lib/store/store.h"

#include <string.h>

static bool keeps_stacks; /* for records from now on */
void (*record_added)(uint32_t slot);

enum { SLOTS_FIRST = 512, RECORDS_FIRST = 128 };

/* A stack's slot holds a stack_record; others hold parent 0 and the index of their record. Atomic. */
static struct table slot_table = {.element = sizeof(struct stack_record), .first = SLOTS_FIRST};
static uint32_t slots = 1; /* slot 0 is never assigned */

static struct table record_table = {.element = sizeof(struct record), .first = RECORDS_FIRST};
static uint32_t records = 1;

uint32_t record_count(void) {
    return __atomic_load_n(&slots, __ATOMIC_ACQUIRE);
}

_Static_assert(sizeof(struct stack_record) == sizeof(uint64_t), "written by one instruction");

static inline struct stack_record slot_read(uint32_t slot) {
    const uint64_t *place = table_peek_here(&slot_table, SLOTS_FIRST, sizeof *place, slot);
    uint64_t word = place ? __atomic_load_n(place, __ATOMIC_ACQUIRE) : 0;
    struct stack_record read;
    __builtin_memcpy(&read, &word, sizeof read);
    return read;
}

static void slot_write(uint32_t slot, struct stack_record written) {
    uint64_t word, *place = table_peek_here(&slot_table, SLOTS_FIRST, sizeof word, slot);
    __builtin_memcpy(&word, &written, sizeof word);
    __atomic_store_n(place, word, __ATOMIC_RELEASE);
}

struct stack_record record_stack(uint32_t slot) {
    struct stack_record read = slot_read(slot);
    return read.parent ? read : (struct stack_record){0, 0};
}

/* Returns the record of a slot that is no stack; NULL if it is unused. */
static struct record *record_of(struct stack_record slot) {
    return !slot.parent && slot.stack
               ? table_peek_here(&record_table, RECORDS_FIRST, sizeof(struct record), slot.stack)
               : NULL;
}

const struct record *record_at(uint32_t slot) {
    struct stack_record read = slot_read(slot);
    return record_of(read.parent ? slot_read(read.parent) : read);
}

uint32_t record_what(uint32_t slot) {
    return slot_read(slot).parent ? PROFILE_STACK : record_at(slot)->what;
}

/* Assigns the next slot, after memory for it was found. */
static uint32_t slot_take(void) {
    uint32_t slot = record_count();
    const void *place;
    do {
        bool has_room = slot < slots_most() - 1;
        place =
            has_room ? table_peek_here(&slot_table, SLOTS_FIRST, sizeof(struct stack_record), slot) : NULL;
        if (has_room && !place)
            place = table_at(&slot_table, slot);
    } while (place &&
             !__atomic_compare_exchange_n(&slots, &slot, slot + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    if (!place)
        gap_set(GAP_MEMORY);
    return place ? slot : NO_SLOT;
}

static uint32_t slot_add(struct stack_record written) {
    uint32_t slot = slot_take();
    if (slot == NO_SLOT)
        return NO_SLOT;
    ASSERT(!slot_read(slot).parent && !slot_read(slot).stack); /* a slot is assigned once */
    ASSERT(written.parent < slot);
    slot_write(slot, written);
    if (record_added)
        record_added(slot);
    return slot;
}

uint32_t record_add_stack(struct stack_record stack) {
    return slot_add(stack);
}

/* Other records are parts of a slot, and have keeps_stacks of the slot. */
static void record_set_stacks(struct record *record) {
    bool is_whole =
        record->what == PROFILE_SITE || record->what == PROFILE_CALLER || record->what == PROFILE_MODULE;
    record->keeps_stacks |= keeps_stacks && is_whole;
}

static void record_set_outside(struct record *record) {
    record->is_outside = record->what == PROFILE_CALLER && module_is_outside(record->module);
}

uint32_t record_add(const struct record *filled) {
    bool has_room = record_count() < slots_most() - 1;
    uint32_t number = has_room ? __atomic_fetch_add(&records, 1, __ATOMIC_RELAXED) : 0;
    struct record *record = has_room ? table_at(&record_table, number) : NULL;
    if (!record) {
        gap_set(GAP_MEMORY);
        return NO_SLOT;
    }
    ASSERT(!record->what && !record->site); /* records never change */
    *record = *filled;
    record_set_outside(record);
    record_set_stacks(record);
    return slot_add((struct stack_record){0, number});
}

void records_keep_stacks(void) {
    keeps_stacks = true;
    for (uint32_t slot = 1; slot < record_count(); slot++) {
        struct record *record = record_of(slot_read(slot));
        if (record && !record->site)
            record_set_stacks(record);
    }
    callers_forget();
}

void records_set_outside(void) {
    for (uint32_t slot = 1; slot < record_count(); slot++) {
        struct record *record = record_of(slot_read(slot));
        if (record)
            record_set_outside(record);
    }
    callers_forget();
}

void record_drop(uint32_t slot) {
    slot_write(slot, (struct stack_record){0, 0});
}

uint32_t slot_key(uint32_t slot) {
    const struct record *record = record_of(slot_read(slot));
    return KEY(slot) | (record->keeps_stacks || record->is_outside ? KEY_SLOW : 0);
}

static uint32_t site_add(const struct allocsite_site *site, const struct module *module) {
    return record_add(&(struct record){.site = site, .module = module, .what = PROFILE_SITE});
}

/* The slots of copies of sites, of modules that may be unloaded. A module that is loaded
 * again gets the same slots. */
static struct index copies = INDEX_OF(SLOT_BITS, 1u << 12);

struct copy_key {
    const struct allocsite_site *site;
    const struct module *module;
};

static bool is_copy(uint32_t slot, const void *wanted) {
    const struct copy_key *key = wanted;
    const struct record *record = record_at(slot);
    return record && record->module == key->module && descriptor_same(record->site, key->site);
}

static uint32_t copy_add(const struct allocsite_site *site, const struct module *module) {
    struct allocsite_site *copy = arena_take(descriptor_copy_size(site));
    if (!copy)
        return NO_SLOT;
    descriptor_copy(site, copy);
    return site_add(copy, module);
}

static uint32_t copy_slot(const struct allocsite_site *site, const struct module *module) {
    const struct copy_key key = {site, module};
    struct index_seek seek = {.hash = hash_more((uintptr_t)module, site->hash), .same = is_copy, .key = &key};
    uint32_t found = index_find(&copies, &seek);
    uint32_t fresh = found ? NO_SLOT : copy_add(site, module);
    if (fresh == NO_SLOT)
        return found ? found : NO_SLOT;
    found = index_add(&copies, &seek, fresh);
    if (found != fresh)
        record_drop(fresh);
    return found ? found : NO_SLOT;
}

STACK_CALL(uint32_t, site_register, struct allocsite_site *site) {
    const struct module *module = module_of(site);
    if (!module)
        return NO_SLOT;
    instrumented_add(module);
    if (site->version != ALLOCSITE_FORMAT_VERSION) {
        gap_set(GAP_VERSION);
        return module->slot;
    }
    uint32_t slot = module->permanent ? site_add(site, module) : copy_slot(site, module);
    uint32_t winner = ALLOCSITE_KEY_NONE;
    if (slot == NO_SLOT || __atomic_compare_exchange_n(&site->key, &winner, slot_key(slot), false,
                                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return slot;
    if (key_slot(winner) != slot)
        record_drop(slot);
    return key_slot(winner);
}

uint32_t site_slot(struct allocsite_site *site) {
    uint32_t key = __atomic_load_n(&site->key, __ATOMIC_ACQUIRE);
    return key == ALLOCSITE_KEY_NONE ? site_register(site) : key_slot(key);
}

/* ---- Slots that are parts of others. */

/* By slot; 0: none. */
static struct table chunk_parts = {.element = sizeof(uint32_t), .first = 256};
static struct table mapping_parts = {.element = sizeof(uint32_t), .first = 256};
static struct index stacks = INDEX_OF(SLOT_BITS, 1u << 14);
static uint32_t stack_count;

static uint64_t limit = UINT64_MAX;

void part_stacks_limit(uint64_t most) {
    limit = most;
}

/* A quarter of all slots, or fewer. Cut paths get half as many; sites and callers use the rest. */
static uint32_t most_stacks(void) {
    uint32_t most = slots_most() / 4;
    return limit < most ? (uint32_t)limit : most;
}

static uint32_t uncounted_add(uint32_t slot, uint32_t what) {
    struct record record = *record_at(slot);
    record.what = what;
    record.parent = slot;
    return record_add(&record);
}

uint32_t slot_row(uint32_t slot) {
    uint32_t parent = record_stack(slot).parent;
    return parent ? parent : slot;
}

bool slot_is_uncounted(uint32_t slot) {
    const struct record *record = record_at(slot);
    return record && (record->what == PROFILE_CUSTOM_CHUNK || record->what == PROFILE_MAPPED);
}

bool slot_is_in_totals(uint32_t slot) {
    const struct record *record = record_at(slot);
    return record && !slot_is_uncounted(slot) && record->what != PROFILE_CUSTOM;
}

uint32_t part_uncounted(uint32_t slot, uint32_t what) {
    slot = slot_row(slot);
    if (slot_is_uncounted(slot))
        return slot;
    struct table *parts = what == PROFILE_CUSTOM_CHUNK ? &chunk_parts : &mapping_parts;
    uint32_t *place = record_at(slot) ? table_at(parts, slot) : NULL, found = 0;
    if (!place) {
        gap_set(GAP_MEMORY);
        return NO_SLOT;
    }
    found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (found)
        return found;
    uint32_t fresh = uncounted_add(slot, what);
    if (fresh == NO_SLOT ||
        __atomic_compare_exchange_n(place, &found, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return fresh;
    record_drop(fresh);
    return found;
}

static bool is_stack(uint32_t part, const void *wanted) {
    struct stack_record record = record_stack(part);
    const struct stack_record *key = wanted;
    return record.parent == key->parent && record.stack == key->stack;
}

bool part_stack_has_room(bool is_variant) {
    uint32_t most = most_stacks();
    bool is_limited = is_variant && limit > most;
    return __atomic_load_n(&stack_count, __ATOMIC_RELAXED) < (is_limited ? most / 4 : most);
}

int part_cut_callers = PART_CUT_CALLERS;

/* Paths with all callers may use half of the room, with one caller less half of the rest, and so on. */
static void set_cut_callers(uint32_t count) {
    uint32_t most = most_stacks(), capacity = most / 2,
             left = count < most + capacity ? most + capacity - count : 0;
    int callers = PART_CUT_CALLERS;
    while (callers > 0 && left <= (capacity /= 2))
        callers--;
    __atomic_store_n(&part_cut_callers, left ? callers : -1, __ATOMIC_RELAXED);
}

uint32_t part_stack(uint32_t slot, profile_name stack, bool may_add, bool *is_new) {
    struct stack_record key = {slot, stack};
    struct index_seek seek = {.hash = hash_more(slot, stack), .same = is_stack, .key = &key};
    uint32_t found = *is_new ? index_end(&stacks, &seek) : index_find(&stacks, &seek);
    *is_new = false;
    if (found)
        return found;
    if (!may_add)
        return NO_SLOT;
    uint32_t fresh = record_add_stack(key);
    found = fresh == NO_SLOT ? 0 : index_add(&stacks, &seek, fresh);
    *is_new = found == fresh;
    if (*is_new)
        set_cut_callers(__atomic_add_fetch(&stack_count, 1, __ATOMIC_RELAXED));
    else if (fresh != NO_SLOT)
        record_drop(fresh);
    return found ? found : NO_SLOT;
}
