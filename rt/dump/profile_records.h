/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The slots of a profile that is written, and their records and names.
 *
 * Rows come first, from PROFILE_FIRST_SLOT on, in the order of the report; then stacks, in theirs; then the
 * sum of custom allocators, if there is one; then what only has a record: modules, and what backing is a part
 * of. */
#ifndef ALLOCSITE_PROFILE_RECORDS_H
#define ALLOCSITE_PROFILE_RECORDS_H

#include "../lib/report.h"
#include "name_writer.h"

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

/* Sets the positions of the report's rows. False: errno says why, or the names are full. There is something
 * to free even then. */
bool profile_records_make(struct profile_records *);
void profile_records_free(struct profile_records *);

/* What the slot has counted. */
struct report_site profile_records_counted(const struct profile_records *, uint64_t slot);

#endif
