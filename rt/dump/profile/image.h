/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembles a profile (profile.h) in memory. */
#ifndef ALLOCSITE_DUMP_PROFILE_IMAGE_H
#define ALLOCSITE_DUMP_PROFILE_IMAGE_H

#include "dump/base/hash_index.h"
#include "model/report.h"
#include "model/site.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

struct profile_image {
    char *bytes; /* moves when areas are added; begins with struct profile_header */
    size_t size, capacity;
    struct profile_area *areas;
    size_t count, area_capacity;
};

void profile_image_open(struct profile_image *);
void profile_image_free(struct profile_image *);

/* Appends an area with these bytes, or zeros if they are NULL, padded with zeros to a page. Returns its
 * offset. */
uint64_t profile_image_add(struct profile_image *, const struct profile_area *, const void *bytes);

/* Appends a growing array, chunk by chunk. */
void profile_image_add_array(struct profile_image *, enum profile_kind, const void *bytes, size_t count);

/* Writes the directory. Nothing can be added afterwards. */
void profile_image_end(struct profile_image *);

/* ---- A whole profile. */

/* The report must not be prepared and must have all sites. False: more names or sites than a profile can
 * hold. The image must be freed in both cases. */
bool profile_merged(struct profile_image *, const struct report *);

/* ---- Names: each string and each frame is written once. */

/* All zero: empty. */
struct name_writer {
    char *bytes;
    size_t size, capacity;
    bool is_full; /* more than the 4 GiB that names can have */
    struct hash_index strings, frames, returns, steps;
};

/* The offset of the name; 0 for NULL or if it is full. */
profile_name name_write(struct name_writer *, const char *text);
profile_name name_write_frame(struct name_writer *, const struct profile_frame *);

/* ---- The slots of the written profile, with their records and names.
 *
 * Rows come first, from PROFILE_FIRST_SLOT on, in the order of the report, then stacks in their order, then
 * the sum of custom allocators if there is one. Slots with only a record follow: modules, and the sites to
 * which chunks of custom allocators belong. */

/* In pairs, slot 0 means none. */
enum { PROFILE_FIRST_SLOT = 1 };

struct profile_records {
    const struct report *report; /* set by the caller; the other members are zero at first */
    struct name_writer names;
    struct profile_record *list; /* by slot */
    size_t count, capacity;
    struct hash_index modules;          /* their slots */
    struct report_site *without_stacks; /* of each row, the part that its stacks do not have */
};

/* Sets the positions of the report's rows. False: more slots than a profile can hold. */
bool profile_records_make(struct profile_records *);
void profile_records_free(struct profile_records *);

/* The counters of the slot. */
struct report_site profile_records_counted(const struct profile_records *, uint64_t slot);

#endif
