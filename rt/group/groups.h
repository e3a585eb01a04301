/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters grouped by something other than sites: by function, file, type and so on.
 *
 * Rows by line, function, file, type, module and stack are sums over the sites of a report. Rows by freeing
 * line are sums over its pairs. Rows by thread and phase are sums over the parts of profiles: the blocks that
 * were allocated and freed in a part, independent of their owners. The live bytes of a part are therefore
 * allocated minus freed bytes and can be negative. Their peak is the maximum of these bytes. Parts have no
 * inherited blocks. */
#ifndef ALLOCSITE_GROUP_GROUPS_H
#define ALLOCSITE_GROUP_GROUPS_H

#include "base/out.h"
#include "model/options.h"
#include "model/report.h"
#include "model/site.h"
#include "write/formats.h"
#include "write/lines.h"

/* The part of a focused function's inclusive cost that a row represents. */
enum group_role {
    ROLE_NONE,
    ROLE_CALLER,    /* one caller's share; the callers add up to the inclusive cost */
    ROLE_INCLUSIVE, /* the whole inclusive cost */
    ROLE_SELF,      /* allocated at the function's own lines; self and callees add up to the inclusive cost */
    ROLE_CALLEE,    /* allocated in calls of this function */
    ROLES
};

struct group_key {
    enum group_role role;
    const char *name;                 /* function, file, type, module or phase; NULL: unknown, or none */
    bool is_apart;                    /* row of the libraries' own allocations, sorted last */
    bool is_unsited;                  /* row of unsited allocations */
    bool is_module;                   /* only the module is known, and name is its path */
    uint64_t number;                  /* of the line or the thread */
    uint64_t pid;                     /* of the thread */
    const struct report_site *site;   /* by stack and by caller */
    const struct report_stack *stack; /* NULL: the part of the site that is in no stack */
    const struct place *caller;       /* by caller; NULL: unknown */
};

/* The blocks of one or several types, as far as the type's layout describes them. */
struct type_use {
    const struct type_layout *layout; /* NULL: unknown */
    bool differs;                     /* the layout differs between modules */
    uint64_t bytes, live_bytes;       /* of blocks with a known layout */
    uint64_t padding, live_padding;   /* part of these bytes */
};

enum { GROUP_ORDERS = 4 };

struct group {
    struct group_key key;
    struct type_use use;     /* only by type */
    struct report_site sum;  /* counters and leaked blocks; live counters of a part are modulo 2^64 */
    struct report_peak peak; /* only of threads and phases */
    const struct counters *inclusive; /* of a function and all its callees; NULL: as sum */
    uint64_t order[2 * GROUP_ORDERS]; /* sort keys, the most significant first */
};

struct groups {
    /* Set by the caller. The other members start as zero. */
    enum group_by by;
    const char *filter; /* sites that do not match are in no row (model/filter.h); "" or NULL: all match */
    bool apart;         /* the libraries' own allocations are one row, except by module and stack */
    uint64_t depth;     /* frames in which stacks must differ to have different rows; 0: all */
    struct group *rows; /* with capacity for the added rows (groups_rows_needed) */
    const struct type_layout *(*layout_of)(const void *layouts, const struct site_view *);
    const void *layouts;                 /* by type; NULL: layouts were not read */
    const struct types_unknown *unknown; /* types without a layout */
    size_t unknown_count;
    bool show_holes;            /* lists the holes of each type, in formats for people */
    struct counters *inclusive; /* borrowed by rows; NULL: no row does */
    bool is_by_inclusive;       /* rows are sorted by inclusive cost */
    const char *focus; /* pattern of the function whose callers and callees are the rows; NULL: none */

    size_t count;
    struct counters before_reset; /* counted in the rows of parts but not in the report */
    struct report_site filtered;  /* sum of the sites that are in no row */
    bool has_filtered;

    /* Set by groups_prepare. */
    struct report_limits limits;
    struct report_site whole;  /* sum of all rows */
    struct type_use whole_use; /* of all rows */
    size_t shown;              /* number of shown rows, which come first */
    size_t hidden_of[ROLES];   /* number of hidden rows with each role */
    struct group hidden;       /* sum of the hidden rows, and of the sites that are in no row */
};

/* Returns the capacity that entering a report needs: an upper limit of its rows. */
size_t groups_rows_needed(const struct groups *, const struct report *);

/* Adds the sites of a report that was prepared with all its rows. Strings are borrowed. */
void groups_enter(struct groups *, const struct report *);

/* Merges rows with equal keys. */
void groups_merge(struct groups *);

/* Sums up the rows, sorts them, and chooses the shown rows. */
void groups_prepare(struct groups *, const struct report_limits *);

/* ---- The forms of groups, and what they have in common. */

#define ALLOCSITE_FORMAT(format, name, for_programs)                                                         \
    void groups_##name(struct out *, const struct groups *, const struct report *);
ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)
#undef ALLOCSITE_FORMAT

void groups_write(struct out *, const struct groups *, const struct report *, enum report_format);

/* Returns whether a row is a part of one site: its calls by one stack or caller. */
static inline bool group_by_stacks(enum group_by by) {
    return by == BY_STACK || by == BY_CALLER;
}

/* Returns whether unsited allocations can have a row under their module's name. */
static inline bool group_by_has_unsited(enum group_by by) {
    return by != BY_MODULE && !group_by_stacks(by) && !group_by_parts(by);
}

/* Returns whether blocks of a row can be leaked. */
static inline bool group_by_has_leaked(enum group_by by) {
    return !group_by_stacks(by) && by != BY_FREED && !group_by_parts(by);
}

/* Returns NULL for ROLE_NONE. */
const char *group_role_name(enum group_role);

/* Returns the text that replaces an unknown name. */
static inline const char *group_unnamed(enum group_by by) {
    return by == BY_PHASE ? "(no phase)" : by == BY_TYPE ? "(unknown type)" : "unknown";
}

/* Returns whether blocks were counted before a reset. */
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
enum { GROUP_COUNTERS = 0 ALLOCSITE_TOTALS(GROUP_COUNTED) ALLOCSITE_LEAKED(GROUP_COUNTED) };
#undef GROUP_COUNTED

/* Writes the counters of groups in order, and returns their number. BY_SITE: the counters of a report's
 * totals. */
size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by, bool has_leaked);

uint64_t group_counter_of(const struct report_site *, const struct group_counter *);

void group_counter_write(struct out *, const struct report_site *, const struct group_counter *);

/* ---- The columns of groups for people: the columns of sites, and a few more. */

/* Columns that sites do not have. */
enum {
    COLUMN_FREED = COLUMNS, /* bytes that a line freed or passed to realloc */
    /* For threads and phases: the maximum of live bytes, and its time since the start. */
    COLUMN_PART_PEAK,
    COLUMN_PART_PEAK_TIME,
    /* For functions: the sort key, of the function alone and including its callees. */
    COLUMN_SELF,
    COLUMN_SELF_SHARE,
    COLUMN_INCLUSIVE,
    COLUMN_INCLUSIVE_SHARE,
    /* For types: sizeof, the padding in it, and the padding of all blocks. */
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

/* Returns whether the row has one size, and one amount of padding per element. */
bool type_use_has_size(const struct type_use *);
bool type_use_has_padding(const struct type_use *);

/* Writes lines above the table for people. */
void groups_put_types(const struct page *, const struct groups *);

/* Writes a line for each hole below a row for people, if groups->show_holes is set. */
void groups_put_holes(const struct page *, const struct groups *, const struct type_use *);

/* Writes the members of the document. */
void groups_types_json(struct json *, const struct groups *);

/* Writes sizeof, padding in it, and padding of all bytes and of live bytes; in JSON also the holes. */
void type_use_write(const struct record *, const struct type_use *);

#endif
