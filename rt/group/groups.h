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

#include "base/out.h"
#include "model/options.h"
#include "model/report.h"
#include "model/site.h"
#include "write/formats.h"
#include "write/lines.h"

/* Of a function that is looked at: which part of its inclusive cost a row is. */
enum group_role {
    ROLE_NONE,
    ROLE_CALLER,    /* that it was called from there; these are all of it */
    ROLE_INCLUSIVE, /* the function's */
    ROLE_SELF,      /* at its own lines; with the callees this is all of it */
    ROLE_CALLEE,    /* that it called this */
    ROLES
};

struct group_key {
    enum group_role role;
    const char *name;                 /* function, file, type, module or phase; NULL: unknown, or none */
    bool is_apart;                    /* of what libraries take for themselves, which comes last */
    bool is_unsited;                  /* of unsited allocations */
    bool is_module;                   /* name is that of a module, which is all that is known of them */
    uint64_t number;                  /* of the line or the thread */
    uint64_t pid;                     /* of the thread */
    const struct report_site *site;   /* by stack and by caller */
    const struct report_stack *stack; /* NULL: what of the site is in no stack */
    const struct place *caller;       /* by caller; NULL: not known */
};

/* The blocks of a type, or of several, as far as its layout tells of them. */
struct type_use {
    const struct type_layout *layout; /* NULL: not known */
    bool differs;                     /* from module to module */
    uint64_t bytes, live_bytes;       /* that were laid out */
    uint64_t padding, live_padding;   /* of them */
};

enum { GROUP_ORDERS = 4 };

struct group {
    struct group_key key;
    struct type_use use;              /* by type */
    struct report_site sum;           /* counters and lost blocks; of a part live is modulo 2^64 */
    const struct counters *inclusive; /* of a function with all that it called; NULL: the sum */
    uint64_t order[2 * GROUP_ORDERS]; /* what it is sorted by first */
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
    bool show_holes;            /* of types, to people */
    struct counters *inclusive; /* that rows refer to; NULL: no row does */
    bool is_by_inclusive;       /* and rows are sorted by that */
    const char *focus; /* pattern of the function whose callers and callees the rows are; NULL: none */

    size_t count;
    struct counters before_reset; /* what the rows of parts have, and the report has not */
    struct report_site filtered;  /* sum of what is in no row */
    bool has_filtered;

    /* Set by groups_prepare. */
    struct report_limits limits;
    struct report_site whole;  /* sum of all rows */
    struct type_use whole_use; /* likewise */
    size_t shown;              /* the first ones of them */
    size_t hidden_of[ROLES];   /* how many of the others have each role */
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

/* ---- The forms of groups, and what they have in common. */

#define ALLOCSITE_FORMAT(format, name, for_programs)                                                         \
    void groups_##name(struct out *, const struct groups *, const struct report *);
ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)
#undef ALLOCSITE_FORMAT

void groups_write(struct out *, const struct groups *, const struct report *, enum report_format);

/* Whether rows are parts of sites by how these were called. */
static inline bool group_by_stacks(enum group_by by) {
    return by == BY_STACK || by == BY_CALLER;
}

/* Whether rows of unsited allocations, under their module's name, can be among them. */
static inline bool group_by_has_unsited(enum group_by by) {
    return by != BY_MODULE && !group_by_stacks(by) && !group_by_parts(by);
}

/* Whether their blocks can be lost. */
static inline bool group_by_has_lost(enum group_by by) {
    return !group_by_stacks(by) && by != BY_FREED && !group_by_parts(by);
}

/* NULL: the rows are of no function that is looked at. */
const char *group_role_name(enum group_role);

/* What stands for no name. */
static inline const char *group_unnamed(enum group_by by) {
    return by == BY_PHASE ? "(no phase)" : by == BY_TYPE ? "(unknown type)" : "unknown";
}

/* Whether something was counted before a reset. */
bool groups_have_before(const struct groups *);

static inline const struct counters *group_inclusive(const struct group *row) {
    return row->inclusive ? row->inclusive : &row->sum.counters;
}

/* ---- The counters that groups have. */

struct group_counter {
    const char *name;
    size_t offset; /* in struct report_site */
    bool is_signed;
};

#define GROUP_COUNTED(name) +1
enum { GROUP_COUNTERS = 4 ALLOCSITE_TOTALS(GROUP_COUNTED) };
#undef GROUP_COUNTED

/* Writes which counters groups have, in their order, and returns how many. by: BY_SITE is what the totals of
 * a report have. */
size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by, bool has_lost);

uint64_t group_counter_of(const struct report_site *, const struct group_counter *);

void group_counter_write(struct out *, const struct report_site *, const struct group_counter *);

/* ---- The columns of groups for people: those of sites, but for a few. */

/* Those that sites do not have. */
enum {
    COLUMN_FREED = COLUMNS, /* bytes that a line gave back, to realloc as well */
    /* Of functions: what rows are sorted by, of the function alone and with all that it called. */
    COLUMN_SELF,
    COLUMN_SELF_SHARE,
    COLUMN_INCLUSIVE,
    COLUMN_INCLUSIVE_SHARE,
    /* Of types: sizeof, what of it is padding, and what that comes to. */
    COLUMN_SIZE,
    COLUMN_HOLES,
    COLUMN_PADDING,
    COLUMN_LIVE_PADDING,
    GROUP_COLUMNS
};

/* ---- The layouts of the rows of types: how much of their blocks is padding. */

/* Adds a site that allocates the type; layout: NULL if it has none. */
void type_use_add_site(struct type_use *, const struct type_layout *, const struct counters *);

/* Adds another row of the same type. */
void type_use_join(struct type_use *, const struct type_use *part);

/* Adds the numbers alone. */
void type_use_add(struct type_use *, const struct type_use *);

/* Whether the row's size, and its padding, are one number. */
bool type_use_has_size(const struct type_use *);
bool type_use_has_padding(const struct type_use *);

/* Lines above the table for people. */
void groups_put_types(const struct page *, const struct groups *);

/* Lines below a row for people: each hole, if the groups are to show them. */
void groups_put_holes(const struct page *, const struct groups *, const struct type_use *);

/* The members of the document and of a row. */
void groups_types_json(struct json *, const struct groups *);
void type_use_json(struct json *, const struct type_use *);

/* Size, padding, and padding of all bytes and of what is live, likewise; nothing for what is not known. */
void type_use_values(struct values *, const struct type_use *);

#endif
