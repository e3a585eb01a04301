/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots: what each of them stands for. */
#ifndef ALLOCSITE_LIB_WHO_REGISTRY_H
#define ALLOCSITE_LIB_WHO_REGISTRY_H

#include "format.h"
#include "lib/base/slot.h"
#include "lib/who/modules.h"
#include "profile.h"

#include <stdbool.h>

struct module;

struct record {
    const struct allocsite_site *site; /* NULL: unsited */
    const struct module *module;       /* NULL: the slot was not used in the end */
    uint32_t what;                     /* enum profile_what */
    uint32_t parent;                   /* stack, backing: the slot that this is a part of */
    uint64_t address;   /* unsited: where calls return to, as the module's file has it; 0: others */
    profile_name stack; /* struct profile_step of the innermost frame */
    bool keeps_stacks;  /* counted by stack */
    bool is_listed;     /* who called its function is billed (bill/listed.h) */
};

/* The slot of a site, given now if it has none. NO_SLOT: no memory. */
uint32_t site_slot(struct allocsite_site *);

/* A slot with that record. NO_SLOT: no memory, or there are as many as can be, and the hole is set. */
uint32_t record_add(const struct record *);

/* Of an unsited one, which was there before the options said whether it does. */
void record_keep_stacks(uint32_t slot);

/* Another thread has given the same a slot. */
void record_drop(uint32_t slot);

/* The word that stands for a slot where the hot path looks: its key, with KEY_SLOW if it keeps stacks or is
 * listed. */
uint32_t slot_key(uint32_t slot);

uint32_t record_count(void);
const struct record *record_at(uint32_t slot);

/* The function that fills in of each new record whether it keeps stacks or is listed; and who is told of it.
 * NULL: nobody. */
extern void (*record_want_stacks)(struct record *) __attribute__((visibility("hidden")));
extern void (*record_added)(uint32_t slot) __attribute__((visibility("hidden")));

#endif
