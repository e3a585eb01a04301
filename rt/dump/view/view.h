/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Coverage: compares the site tables of the module files with a report, to find the sites that have run.
 *
 * A site has run if it returned a block or failed in a process of the report. Sites that only free have no
 * counters, and are left out. */
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

struct covered_module {
    const char *path;
    const char *build_id; /* NULL: unknown */
    char *unknown;        /* the reason why its sites are unknown; NULL: they are known */
    bool has_table;       /* else none of its code was compiled with the plugin */
    size_t sites, ran;
};

struct covered_site {
    struct report_site site; /* only the view is set */
    uint8_t kind;            /* enum allocsite_kind */
    bool ran;
};

struct covered_file {
    const char *path; /* as in the sites; NULL: unknown */
    size_t sites, ran;
};

/* All zero: empty. */
struct coverage {
    struct covered_module *modules;
    size_t module_count;
    struct covered_site *sites; /* by file, line, column, function */
    size_t count, room, ran;
    struct covered_file *files; /* sorted by path */
    size_t file_count, file_room;
    struct string_pool strings;
};

/* Reads the files of the modules and compares them with the prepared report. The module list must outlive the
 * result. */
void coverage_read(struct coverage *, const struct module_list *, const struct report *);

/* Complains about each module with unknown sites. Returns STATUS_FAILED if there are any. */
int coverage_check(const struct coverage *);

void coverage_free(struct coverage *);

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

/* Add rows: for the parts of a report, and for the sites of a report that was prepared with all its rows. */
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
