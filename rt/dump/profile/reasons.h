/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Why the numbers of a profile are not exact: what the program knew of, and what is wrong with the file. */
#ifndef ALLOCSITE_DUMP_PROFILE_REASONS_H
#define ALLOCSITE_DUMP_PROFILE_REASONS_H

#include "dump/profile/read.h"

/* What was met while it was read. */
struct profile_doubts {
    uint64_t contradicting; /* slots whose counters contradict each other */
    uint64_t unnamed;       /* slots that have counters and no record */
    uint64_t strange_pairs; /* of an unknown kind, or of slots that are not there */
    uint64_t outrun;        /* slots whose live blocks are too many by more than PROFILE_OUTRUN */
    bool rearranged;        /* areas came, or the counters were reset */
    bool risen;             /* the peak became another one */
};

/* Sets the report's reasons, and of a merged profile for how many processes each holds, and the programs.
 * False: out of memory. */
bool profile_reasons_read(struct profile_file *, const struct profile_areas *, const struct profile_doubts *);

#endif
