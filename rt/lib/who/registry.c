/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots for sites, and what the report needs to name them. Lock-free: a signal handler may come anywhere. */
#include "lib/who/registry.h"
#include "format.h"
#include "lib/base/descriptors.h"
#include "lib/base/root_parts.h"
#include "lib/base/slot.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/store/slots.h"
#include "lib/who/descriptor.h"
#include "lib/who/modules.h"

void (*record_want_stacks)(struct record *);
void (*record_added)(uint32_t slot);

static struct table record_table = {.element = sizeof(struct record), .first = 256};
static uint32_t records = 1; /* slot 0 is nobody's */

const struct root_registry root_registry = {.records = &record_table, .record_count = &records};

uint32_t record_count(void) {
    return __atomic_load_n(&records, __ATOMIC_ACQUIRE);
}

const struct record *record_at(uint32_t slot) {
    const struct record *record = table_peek(&record_table, slot);
    return record && __atomic_load_n(&record->module, __ATOMIC_ACQUIRE) ? record : NULL;
}

/* The next slot, counted only when there is memory for it. */
static struct record *record_take(uint32_t *slot) {
    struct record *record;
    *slot = record_count();
    do {
        record = *slot < slots_most() - 1 ? table_at(&record_table, *slot) : NULL;
    } while (record && !__atomic_compare_exchange_n(&records, slot, *slot + 1, true, __ATOMIC_ACQ_REL,
                                                    __ATOMIC_ACQUIRE));
    return record;
}

uint32_t record_add(const struct record *filled) {
    uint32_t slot;
    struct record *record = record_take(&slot);
    if (!record) {
        hole_set(HOLE_MEMORY);
        return NO_SLOT;
    }
    struct record full = *filled;
    if (record_want_stacks)
        record_want_stacks(&full);
    full.module = NULL;
    *record = full;
    __atomic_store_n(&record->module, filled->module, __ATOMIC_RELEASE);
    if (record_added)
        record_added(slot);
    return slot;
}

void record_keep_stacks(uint32_t slot) {
    struct record *record = table_peek(&record_table, slot);
    if (record && record->module && !record->site)
        record_want_stacks(record);
}

void record_drop(uint32_t slot) {
    struct record *record = table_peek(&record_table, slot);
    if (record)
        __atomic_store_n(&record->module, NULL, __ATOMIC_RELEASE);
}

uint32_t slot_key(uint32_t slot) {
    const struct record *record = record_at(slot);
    return KEY(slot) | (record->keeps_stacks || record->is_listed ? KEY_SLOW : 0);
}

static uint32_t add_site(const struct allocsite_site *site, const struct module *module) {
    return record_add(&(struct record){.site = site, .module = module, .what = PROFILE_SITE});
}

/* Copies of the sites of modules that may be unloaded, found again by hash when the module comes back. */
struct copy {
    struct copy *next;
    const struct module *module;
    uint32_t slot;
    struct allocsite_site site; /* what it names follows */
};

static struct table copy_table = {.element = sizeof(struct copy *), .first = 4096};

static struct copy *copy_find(struct copy *copy, const struct copy *end, const struct allocsite_site *site,
                              const struct module *module) {
    for (; copy != end; copy = copy->next)
        if (copy->module == module && descriptor_same(&copy->site, site))
            return copy;
    return NULL;
}

static struct copy *copy_make(const struct allocsite_site *site, const struct module *module) {
    struct copy *copy = arena_take(offsetof(struct copy, site) + descriptor_copy_size(site));
    if (!copy)
        return NULL;
    descriptor_copy(site, &copy->site);
    copy->module = module;
    copy->slot = add_site(&copy->site, module);
    return copy;
}

/* Puts a copy into its bucket, or finds the one that another thread has put there. */
static uint32_t copy_slot(const struct allocsite_site *site, const struct module *module) {
    struct copy **bucket = table_at(&copy_table, site->hash % copy_table.first);
    struct copy *head = bucket ? __atomic_load_n(bucket, __ATOMIC_ACQUIRE) : NULL;
    struct copy *found = copy_find(head, NULL, site, module);
    struct copy *copy = found || !bucket ? NULL : copy_make(site, module);
    if (found || !copy)
        return found ? found->slot : NO_SLOT;
    for (;;) {
        struct copy *seen = copy->next = head;
        if (__atomic_compare_exchange_n(bucket, &head, copy, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return copy->slot;
        found = copy_find(head, seen, site, module);
        if (found) {
            record_drop(copy->slot);
            return found->slot;
        }
    }
}

static uint32_t site_register(struct allocsite_site *site) {
    const struct module *module = module_of(site);
    if (!module)
        return NO_SLOT;
    if (site->version != ALLOCSITE_FORMAT_VERSION) {
        hole_set(HOLE_VERSION);
        return module->slot;
    }
    uint32_t slot = module->permanent ? add_site(site, module) : copy_slot(site, module);
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
