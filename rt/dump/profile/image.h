/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile (profile.h) that is put together in memory. */
#ifndef ALLOCSITE_DUMP_PROFILE_IMAGE_H
#define ALLOCSITE_DUMP_PROFILE_IMAGE_H

#include "dump/base/hash_index.h"
#include "model/report.h"
#include "model/site.h"
#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

struct profile_image {
    char *bytes; /* moves when areas are added; struct profile_header is at its beginning */
    size_t size, room;
    struct profile_area *areas;
    size_t count, area_room;
};

void profile_image_open(struct profile_image *);
void profile_image_free(struct profile_image *);

/* Adds an area with so many bytes, or zeros if they are NULL, and zeros up to the next page. Returns its
 * offset. */
uint64_t profile_image_add(struct profile_image *, const struct profile_area *, const void *bytes);

/* Adds an array that grows, in its chunks. */
void profile_image_add_array(struct profile_image *, enum profile_kind, const void *bytes, size_t count);

/* Writes the directory; nothing can be added then. */
void profile_image_end(struct profile_image *);

/* ---- A whole one. */

/* The report must not be prepared, and have no sites left out. False: it has more names or sites than a
 * profile can have. There is something to free even then. */
bool profile_merged(struct profile_image *, const struct report *);

/* ---- The names of a profile that is written: each string and each frame once. */

/* All zero: none yet. */
struct name_writer {
    char *bytes;
    size_t size, room;
    bool is_full; /* of the four gigabytes that names can have */
    struct hash_index strings, frames, returns, steps;
};

/* The name of what is written; 0 for NULL, and if it is full. */
profile_name name_write(struct name_writer *, const char *text);
profile_name name_write_frame(struct name_writer *, const struct profile_frame *);
void name_writer_free(struct name_writer *);

/* ---- The slots of a profile that is written, and their records and names.
 *
 * Rows come first, from PROFILE_FIRST_SLOT on, in the order of the report; then stacks, in theirs; then the
 * sum of custom allocators, if there is one; then what only has a record: modules, and what backing is a part
 * of.
 */

/* Slot 0 means nobody in pairs. */
enum { PROFILE_FIRST_SLOT = 1 };

struct profile_records {
    const struct report *report; /* set by the caller, the rest is zero at first */
    struct name_writer names;
    struct profile_record *list; /* by slot */
    size_t count, room;
    struct hash_index modules; /* their slots */
    struct report_site *own;   /* what of each row is not in its stacks */
};

/* Sets the positions of the report's rows. False: these are more slots than a profile can have. */
bool profile_records_make(struct profile_records *);
void profile_records_free(struct profile_records *);

/* The counters of the slot. */
struct report_site profile_records_counted(const struct profile_records *, uint64_t slot);

#endif
