/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the bytes of a profile (profile.h), which may be damaged or hostile, and which a running
 * program may be changing meanwhile. A part that cannot be read becomes a reason why the numbers are not
 * exact. */
#ifndef ALLOCSITE_DUMP_PROFILE_READ_H
#define ALLOCSITE_DUMP_PROFILE_READ_H

#include "dump/profile/areas.h"
#include "dump/profile/views.h"
#include "model/holes.h"
#include "model/report.h"

struct profile_texts {
    const char **list;
    uint64_t *hold; /* for so many processes each does; 0: for all */
    size_t count, room, hold_room;
    struct string_pool made; /* those that are not names of the profile */
};

struct profile_file {
    struct report report; /* not prepared yet */
    uint64_t pid, start_time, begun;
    const char *host;
    struct profile_stacks stacks;
    struct profile_phases phases;
    struct profile_modules modules; /* all that it names, whether they have rows or not */
    struct report_part *parts;
    bool is_changing; /* the program changed it so that its numbers may not fit together: read it again */

    /* Memory that the report borrows from. */
    struct profile_names names;
    struct profile_texts reasons;
    const char **programs, **walked_for;
    size_t program_room;
    struct report_site *rows;
    uint64_t *slots; /* of the rows, rising */
    size_t row_count, row_room, slot_room;
    uint64_t (*sizes)[SIZE_CLASSES];
    union lifetimes *lifetimes;
};

/* bytes must be aligned to 8; they are not needed afterwards. False: *why says why, and there is nothing to
 * free. */
bool profile_read(struct profile_file *, const void *bytes, size_t size, struct reason *why);

/* The same where only that is there, and the rest is zeros. */
bool profile_read_sparse(struct profile_file *, const void *bytes, size_t size, const struct extents *there,
                         struct reason *why);

void profile_read_free(struct profile_file *);

/* What the slot has counted, also after its report has been prepared; NULL: it has no row. */
struct report_site *profile_row(const struct profile_file *, uint64_t slot);

/* The number of the stack among the report's of which the slot is; SIZE_MAX: of none. */
size_t profile_stack(const struct profile_file *, uint64_t slot);

/* ---- Why the numbers of a profile are not exact: what the program knew of, and what is wrong with the file.
 */

/* Doubts that came up while it was read. */
struct profile_doubts {
    uint64_t contradicting; /* slots whose counters contradict each other */
    uint64_t unnamed;       /* slots that have counters and no record */
    uint64_t strange_pairs; /* of an unknown kind, or of slots that are not there */
    uint64_t outrun;        /* slots whose live blocks are too many by more than PROFILE_OUTRUN */
    bool rearranged;        /* areas came, or the counters were reset */
    bool risen;             /* the peak became another one */
};

/* Sets the report's reasons, and of a merged profile for how many processes each holds, and the programs.
 */
void profile_reasons_read(struct profile_file *, const struct profile_areas *, const struct profile_doubts *);

/* For a hole that the process does not know of, or not yet. */
void profile_reasons_add_hole(struct profile_file *, enum hole);

/* What was not there when it was read may be meanwhile. */
void profile_reasons_add_filled(struct profile_file *);

#endif
