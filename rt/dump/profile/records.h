/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of a profile that is written: each string and each frame once. */
#ifndef ALLOCSITE_DUMP_PROFILE_RECORDS_H
#define ALLOCSITE_DUMP_PROFILE_RECORDS_H

#include "dump/base/hash_index.h"
#include "model/report.h"
#include "model/site.h"
#include "profile.h"

/* All zero: none yet. */
struct name_writer {
    char *bytes;
    size_t size, room;
    bool is_full; /* of the four gigabytes that names can have */
    struct hash_index strings, frames, steps;
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
