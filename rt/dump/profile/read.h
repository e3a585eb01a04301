/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds a report from the bytes of a profile (profile.h). The bytes may be damaged or hostile, and a running
 * program may be changing them. A part that cannot be read becomes a reason why the numbers are not exact. */
#ifndef ALLOCSITE_DUMP_PROFILE_READ_H
#define ALLOCSITE_DUMP_PROFILE_READ_H

#include "dump/profile/areas.h"
#include "dump/profile/views.h"
#include "model/gaps.h"
#include "model/report.h"

struct profile_texts {
    const char **list;
    uint64_t *hold; /* number of processes to which each reason applies; 0: all */
    size_t count, capacity, hold_capacity;
    struct string_pool made; /* reasons that are not names of the profile */
};

struct profile_file {
    struct report report; /* not prepared */
    uint64_t pid, start_time, begun;
    const char *host;
    struct profile_stacks stacks;
    struct profile_phases phases;
    struct profile_modules modules; /* all named modules, with or without rows */
    struct report_part *parts;
    bool is_changing; /* the program changed it while it was read, so the numbers may be inconsistent: read it
                       * again */

    /* Memory that the report borrows from. */
    struct profile_names names;
    struct profile_texts reasons;
    const char **programs, **walked_for;
    size_t program_capacity;
    struct report_site *rows;
    uint64_t *slots; /* of the rows, ascending */
    size_t row_count, row_capacity, slot_capacity;
    uint64_t (*sizes)[SIZE_CLASSES];
    union lifetimes *lifetimes;
};

/* bytes must be aligned to 8 and are not needed afterwards. False: *why has the reason, and there is nothing
 * to free. */
bool profile_read(struct profile_file *, const void *bytes, size_t size, struct reason *why);

/* The same for a sparse file: all bytes outside of the extents are zero. */
bool profile_read_sparse(struct profile_file *, const void *bytes, size_t size, const struct extents *extents,
                         struct reason *why);

void profile_read_free(struct profile_file *);

/* The row of a slot, also after the report was prepared; NULL: none. */
struct report_site *profile_row(const struct profile_file *, uint64_t slot);

/* Index of the slot's stack among the report's; SIZE_MAX: not a stack. */
size_t profile_stack(const struct profile_file *, uint64_t slot);

/* ---- Why the numbers are not exact: accuracy gaps that the program recorded, and faults of the file. */

/* Problems found while the file was read. */
struct profile_doubts {
    uint64_t contradicting; /* slots with contradicting counters */
    uint64_t unnamed;       /* slots with counters but without a record */
    uint64_t strange_pairs; /* with an unknown kind or missing slots */
    uint64_t outrun;        /* slots with more than PROFILE_OUTRUN live blocks too many */
    bool rearranged;        /* areas were added, or the counters were reset */
    bool risen;             /* the peak changed */
};

/* Sets the report's reasons; for a merged profile also the number of processes of each reason, and the
 * programs. */
void profile_reasons_read(struct profile_file *, const struct profile_areas *, const struct profile_doubts *);

/* Adds an accuracy gap that the process did not record, or not yet. */
void profile_reasons_add_gap(struct profile_file *, enum gap);

/* Adds the reason that a hole of the file may have been filled while it was read. */
void profile_reasons_add_filled(struct profile_file *);

#endif
