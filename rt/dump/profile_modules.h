/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules that a profile names. */
#ifndef ALLOCSITE_PROFILE_MODULES_H
#define ALLOCSITE_PROFILE_MODULES_H

#include "../lib/report.h"
#include "profile_areas.h"
#include "profile_names.h"

/* Names are those of the profile. */
struct profile_modules {
    struct report_module *list;
    uint64_t *slots; /* of each, rising */
    size_t count, room, slot_room;
    struct report_module *sorted; /* each once */
    size_t sorted_count;
};

/* False: out of memory. There is something to free even then. */
bool profile_modules_read(struct profile_modules *, struct profile_names *, const struct profile_areas *);

/* The module that has the slot; NULL: none. */
const struct report_module *profile_module_at(const struct profile_modules *, uint64_t slot);
void profile_modules_free(struct profile_modules *);

#endif
