/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The live bytes of sites over the time of a recording, and which of them only grow. */
#ifndef ALLOCSITE_DUMP_VIEW_HISTORY_H
#define ALLOCSITE_DUMP_VIEW_HISTORY_H

#include "base/out.h"
#include "dump/record/moment.h"

/* Points that are looked at, and the parts of them in each of which a site that grows must have no less than
 * before. */
enum { HISTORY_POINTS = 240, HISTORY_PARTS = 12 };

struct history_row {
    const struct report_site *site;
    const uint64_t *live; /* bytes, at each point */
    uint64_t most;        /* of these */
    double per_hour;      /* bytes that it grew by on the whole, since the first third of the time */
    bool only_grows;
};

struct history {
    struct series series;     /* of all sites */
    struct history_row total; /* no site */
    struct history_row *rows; /* of sites, in order */
    size_t count;
};

/* Of the moment of a recording, whose report is prepared with all its sites. is_growth: only sites that do
 * nothing but grow, the fastest first; else the ones that had most first. */
void history_make(struct history *, const struct moment *, const struct report_limits *, bool is_growth);
void history_free(struct history *);

/* limits: for how many rows are written. */
void history_text(struct out *, const struct history *, const struct report_limits *, bool is_growth);
void history_json(struct out *, const struct history *, const struct report_limits *);

#endif
