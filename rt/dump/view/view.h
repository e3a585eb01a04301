/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Histories of recordings, and rows of groups over several files. */
#ifndef ALLOCSITE_DUMP_VIEW_VIEW_H
#define ALLOCSITE_DUMP_VIEW_VIEW_H

#include "base/out.h"
#include "dump/base/hash_index.h"
#include "dump/load/source.h"
#include "dump/record/moment.h"
#include "dump/types/layouts.h"
#include "group/groups.h"
#include "model/report.h"
#include "write/lines.h"

/* ---- The live bytes of sites over the time of a recording, and the sites that only grow (history.c). */

/* The maximum number of points, and the parts of the time whose minima are compared to find growth. */
enum { HISTORY_POINTS = 240, HISTORY_PARTS = 12 };

struct history_row {
    const struct report_site *site;
    const uint64_t *live; /* bytes, at each point */
    uint64_t most;        /* the maximum of live */
    double per_hour;      /* average growth in bytes since the first third of the time */
    bool only_grows;
};

struct history {
    struct series series;     /* the series of all sites */
    struct history_row total; /* the sum; site is NULL */
    struct history_row *rows; /* sorted */
    size_t count;
};

/* Makes the history of a moment of a recording. Its report must be prepared with all its rows. is_growth:
 * only sites that only grow, by decreasing growth; else all sites, by decreasing maximum. */
void history_make(struct history *, const struct moment *, const struct report_limits *, bool is_growth);
void history_free(struct history *);

/* limits: the number of rows to write. */
void history_text(struct out *, const struct history *, const struct report_limits *, bool is_growth);
void history_json(struct out *, const struct history *, const struct report_limits *);

/* ---- Groups from files (rows.c): the row array is allocated, and grows with each file. */

/* Returns whether the source counts threads and phases separately. If not, sets why. */
bool groups_need_parts(const struct report_source *, enum group_by, struct reason *why);

/* Increases the capacity by `more` rows. */
void groups_make_room(struct groups *, size_t more);

/* groups_add_parts adds a row for each thread or phase of a report. groups_add_sites adds rows for the sites
 * of a report that was prepared with all its rows. */
void groups_add_parts(struct groups *, const struct report *);
void groups_add_sites(struct groups *, const struct report *);

/* Adds the inclusive cost of all functions on the paths of a prepared report or, with a focus, the callers
 * and callees of the focus. Call it before groups_add_sites. The symbolizer must have looked up the report's
 * addresses. Returns false if no function on any path matches the focus. */
bool groups_add_functions(struct groups *, const struct report *, const struct symbolizer *);

/* Complains if the sum of the rows differs from the totals of the prepared report. Returns STATUS_FAILED if
 * it does. */
int groups_check(const char *path, const struct groups *, const struct report *);

void groups_free(struct groups *);

#endif
