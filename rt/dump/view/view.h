/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which sites of a program's modules have run: the tables of the module files, held against a report.
 *
 * A site has run if it returned a block or failed in one of the processes that the report is of. Sites that
 * only free have no counters of their own, and are left out. */
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
    const char *build_id; /* NULL: not known */
    char *unknown;        /* why its sites are not known; NULL: they are */
    bool has_table;       /* else nothing in it was compiled with the plugin */
    size_t sites, ran;
};

struct covered_site {
    struct report_site site; /* its view */
    uint8_t kind;            /* enum allocsite_kind */
    bool ran;
};

struct covered_file {
    const char *path; /* as the sites have it; NULL: unknown */
    size_t sites, ran;
};

/* All zero: nothing yet. */
struct coverage {
    struct covered_module *modules;
    size_t module_count;
    struct covered_site *sites; /* by file, line, column, function */
    size_t count, room, ran;
    struct covered_file *files; /* in the same order */
    size_t file_count, file_room;
    struct string_pool strings;
};

/* Reads the files of the modules, whose list must outlive it, and compares them with the prepared report.
 */
void coverage_read(struct coverage *, const struct module_list *, const struct report *);

/* Complains of each module whose sites are not known. STATUS_FAILED: of some. */
int coverage_check(const struct coverage *);

void coverage_free(struct coverage *);

/* ---- The live bytes of sites over the time of a recording, and which of them only grow (history.c). */

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

/* ---- Groups from files (rows.c): their rows are allocated, and grow with each file. */

/* Whether threads and phases are told apart. False: *why says why not. */
bool groups_need_parts(const struct report_source *, enum group_by, struct reason *why);

/* Makes room for so many more rows. */
void groups_make_room(struct groups *, size_t more);

/* Add to the rows: the parts of a report, the sites of a prepared one that shows all. */
void groups_add_parts(struct groups *, const struct report *);
void groups_add_sites(struct groups *, const struct report *);

/* Adds the inclusive cost of all functions on the paths of a prepared report, before its sites; or where a
 * function is looked at, its callers and callees. The symbolizer has looked up the report's addresses. False:
 * no such function is on any path. */
bool groups_add_functions(struct groups *, const struct report *, const struct symbolizer *);

/* Has the layouts of types in the rows of sites. Both outlive the groups. */
void groups_use_layouts(struct groups *, const struct type_layouts *);

/* Complains where the rows are not what the prepared report has in total. STATUS_FAILED: somewhere. */
int groups_check(const char *path, const struct groups *, const struct report *);

void groups_free(struct groups *);

#endif
