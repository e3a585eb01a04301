/* The rows of a report, by slot.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_COLLECT_ROWS_H
#define ALLOCSITE_COLLECT_ROWS_H

#include "collect_frames.h"
#include "report.h"

struct rows {
    uint32_t slots;
    struct report_site *sites; /* by slot; of stacks only the counters, which their row has too */
    struct report_site **order;
    struct place *places;
    size_t places_left;
    uint64_t live_bytes, peak_bytes; /* in total */
    bool is_odd;                     /* the share of some slot in the peak is below zero */
};

/* Counts of all slots so far. False: no memory. */
bool rows_collect(struct rows *, uint32_t slots);

/* Puts the rows into the report. */
void rows_enter(struct rows *, struct report *, const struct frames *);

/* The row that has a slot; NULL: there is none. */
struct report_site *rows_of(const struct rows *, uint32_t slot);

#endif
