/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a report keeps the laws: what must hold between its numbers, whatever the program did. */
#ifndef ALLOCSITE_DUMP_LOAD_REPORT_CHECK_H
#define ALLOCSITE_DUMP_LOAD_REPORT_CHECK_H

#include "model/report.h"

struct report_breach {
    const struct report_site *site; /* NULL: the totals */
    const char *law;                /* "left = right" or "left <= right", in the names of the counters */
    uint64_t left, right;           /* what the two sides are */
};

typedef void report_breach_function(void *context, const struct report_breach *);

/* Calls function for each breach in a report that has been prepared, and returns how many there are. Every
 * site and the totals must have
 *
 *     what came = what went + what is live, in blocks and in bytes (counters.h);
 *     live blocks not above the most that it ever had, live bytes of all not above the peak, which no share
 *     of a site in it is above;
 *     lost blocks among the live ones (if the report has reach);
 *     frees and moves as many as its pairs tell (if the report has pairs, is exact, and of what has ended).
 *
 * The stated totals must be the sums of the sites, if no site was left out. */
size_t report_check(const struct report *, report_breach_function *, void *context);

#endif
