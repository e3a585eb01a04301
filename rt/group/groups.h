/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters, summed up by something else than sites. Pure, as a report is: the runtime shows its sites so,
 * the reader those of files, and the parts of profiles.
 *
 * Lines, functions, files, types, modules and stacks are sums over the sites of a report, lines that free
 * over its pairs. Threads and phases are sums over the parts of profiles: what came and went in them, whoever
 * owned it. So what is live of a part is what it gained less what it lost, and can be below zero; a peak it
 * has not, nor what was inherited. */
#ifndef ALLOCSITE_GROUP_GROUPS_H
#define ALLOCSITE_GROUP_GROUPS_H

#include "model/options.h"
#include "model/report.h"
#include "model/type_layout.h"

struct group_key {
    const char *name;                 /* function, file, type, module or phase; NULL: unknown, or none */
    bool is_apart;                    /* of what libraries take for themselves, which comes last */
    bool is_unsited;                  /* of unsited allocations */
    bool is_module;                   /* name is that of a module, which is all that is known of them */
    uint64_t number;                  /* of the line or the thread */
    uint64_t pid;                     /* of the thread */
    const struct report_site *site;   /* by stack */
    const struct report_stack *stack; /* NULL: what of the site is in no stack */
};

/* The blocks of a type, or of several, as far as its layout tells of them. */
struct type_use {
    const struct type_layout *layout; /* NULL: not known */
    bool differs;                     /* from module to module */
    uint64_t bytes, live_bytes;       /* that were laid out */
    uint64_t padding, live_padding;   /* of them */
};

struct group {
    struct group_key key;
    struct type_use use;    /* by type */
    struct report_site sum; /* counters and lost blocks; of a part live is modulo 2^64 */
    uint64_t order[4];      /* what it is sorted by first */
};

struct groups {
    /* Set by the caller; the rest is zero at first. */
    enum group_by by;
    const char *filter; /* sites that do not match are in no row (model/filter.h); "" or NULL: all are */
    bool apart;         /* what libraries take for themselves is one row, but by module and stack */
    uint64_t depth;     /* frames that stacks are told apart by; 0: all */
    struct group *rows; /* with room for those that are added */
    const struct type_layout *(*layout_of)(const void *layouts, const struct site_view *);
    const void *layouts;                 /* by type; NULL: they were not looked for */
    const struct types_unknown *unknown; /* types that they lack */
    size_t unknown_count;
    bool show_holes; /* of types, to people */

    size_t count;
    struct counters before_reset; /* what the rows of parts have, and the report has not */
    struct report_site filtered;  /* sum of what is in no row */
    bool has_filtered;

    /* Set by groups_prepare. */
    struct report_limits limits;
    struct report_site whole;  /* sum of all rows */
    struct type_use whole_use; /* likewise */
    size_t shown;              /* the first ones of them */
    struct group hidden;       /* sum of the others, and of what is in no row */
};

/* For how many rows there must be room to enter a report, or its by lines. */
size_t groups_rows_needed(const struct groups *, const struct report *);

/* Adds the sites of a prepared report that shows all. Texts are borrowed. */
void groups_enter(struct groups *, const struct report *);

/* Makes one row of those that are of one. */
void groups_merge(struct groups *);

/* Sums up the rows, sorts them, and decides which are shown. */
void groups_prepare(struct groups *, const struct report_limits *);

#endif
