/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The memory that a process counts in, copied while it goes on. */
#ifndef ALLOCSITE_DUMP_PROCESS_AREAS_H
#define ALLOCSITE_DUMP_PROCESS_AREAS_H

#include "dump/process/memory.h"
#include "dump/profile/image.h"
#include "dump/profile/records.h"

struct remote_area {
    struct profile_area area; /* offset: in the image */
    uint64_t address;
};

struct remote_areas {
    struct remote_area *list;
    size_t count, room;
    struct number_map addresses; /* of all, as keys */
};

/* The areas that there are. False: *why says why. */
bool remote_areas_list(struct remote_areas *, struct remote_memory *, const struct remote_root *,
                       struct reason *why);
void remote_areas_free(struct remote_areas *);

/* Adds them to the image with what is in them, in the order that makes sense of counters that change
 * meanwhile (profile.h); names and records are left out. False: *why says why. */
bool remote_areas_copy(struct remote_areas *, struct remote_memory *, struct profile_image *,
                       struct reason *why);

/* The names that are there already, for those that are written to be added behind. False: *why says why. */
bool remote_areas_names(struct remote_areas *, struct remote_memory *, struct name_writer *,
                        struct reason *why);

/* Copies them to their places in the image. Of each slot what went is read before what came, as profile.h has
 * it; and all of a slot within microseconds, for what comes in between stands as live. False: not all of it
 * is there. */
bool remote_counters_copy(const struct remote_areas *, struct remote_memory *, char *image);

#endif
