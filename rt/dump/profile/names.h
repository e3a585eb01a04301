/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names and inline chains of a profile. They are copied out, for the file may change while it is read. */
#ifndef ALLOCSITE_DUMP_PROFILE_NAMES_H
#define ALLOCSITE_DUMP_PROFILE_NAMES_H

#include "dump/base/hash_index.h"
#include "dump/profile/areas.h"
#include "model/report.h"
#include "model/site.h"

/* Longer chains are cut: nobody inlines through so many functions, but a damaged chain may be a circle. */
#define PROFILE_CHAIN_MAX 1000

struct profile_names {
    char *chunks[PROFILE_CHUNKS]; /* each ends with a NUL; NULL: not in the file */
    size_t sizes[PROFILE_CHUNKS]; /* without it */
    uint64_t wrong;               /* references that lead nowhere */
    struct number_map chains;     /* those that were read, by their frame */
    size_t places_left; /* so many may follow: chains that share frames could be far larger than their file */
};

void profile_names_read(struct profile_names *, const struct profile_areas *);
void profile_names_free(struct profile_names *);

/* NULL for 0, and for what leads nowhere, which is counted. */
const char *profile_name_at(struct profile_names *, profile_name);

/* An inline chain. It lives as long as the names. */
struct profile_chain {
    size_t count;
    struct place places[];
};

const struct profile_chain *profile_chain_read(struct profile_names *, profile_name frame);

/* False: it leads nowhere. */
bool profile_step_read(const struct profile_names *, profile_name step, struct profile_step *);

/* ---- The modules that a profile names. */

/* Names are those of the profile. */
struct profile_modules {
    struct report_module *list;
    uint64_t *slots; /* of each, rising */
    size_t count, room, slot_room;
    struct report_module *sorted; /* each once */
    size_t sorted_count;
};

void profile_modules_read(struct profile_modules *, struct profile_names *, const struct profile_areas *);

/* The module that has the slot; NULL: none. */
const struct report_module *profile_module_at(const struct profile_modules *, uint64_t slot);
void profile_modules_free(struct profile_modules *);

#endif
