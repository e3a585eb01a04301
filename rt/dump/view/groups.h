/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters, summed up by something else than sites.
 *
 * Lines, functions, files, types and modules are sums over the sites of a report. Threads and phases are sums
 * over the parts of profiles: what came and what went in them, whoever owned it. So what is live of a part is
 * what it gained less what it lost, and can be below zero; a peak it has not, nor what was inherited. */
#ifndef ALLOCSITE_DUMP_VIEW_GROUPS_H
#define ALLOCSITE_DUMP_VIEW_GROUPS_H

#include "base/out.h"
#include "dump/base/hash_index.h"
#include "dump/load/source.h"
#include "dump/types/layouts.h"

enum group_by { BY_SITE, BY_LINE, BY_FUNCTION, BY_FILE, BY_TYPE, BY_MODULE, BY_THREAD, BY_PHASE };

/* False: there is none of that name. */
bool group_by_read(const char *name, enum group_by *);
const char *group_by_name(enum group_by);

/* Whether they are of parts of profiles. */
static inline bool group_by_parts(enum group_by by) {
    return by == BY_THREAD || by == BY_PHASE;
}

struct group_key {
    const char *name; /* function, file, type, module or phase; NULL: unknown, or none */
    bool is_unsited;  /* of unsited allocations */
    bool is_module;   /* name is that of a module, which is all that is known of them */
    uint64_t number;  /* of the line or the thread */
    uint64_t pid;     /* of the thread */
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
    uint64_t order[2];      /* what it is sorted by first */
};

struct groups {
    enum group_by by;                   /* set by the caller, as is what follows; the rest is zero at first */
    const struct type_layouts *layouts; /* by type; NULL: they were not looked for */
    bool show_holes;                    /* of types, to people */
    struct group *rows;
    size_t count, room;
    struct hash_index index;
    struct string_pool strings;
    struct counters before_reset; /* what the rows of parts have, and the report has not */

    /* Set by groups_prepare. */
    struct report_limits limits;
    struct report_site whole;  /* sum of all rows */
    struct type_use whole_use; /* likewise */
    size_t shown;              /* the first ones of them */
    struct group hidden;       /* sum of the others */
};

/* Add to the rows: the parts of a profile, the sites of a prepared report that shows all. False: it has no
 * parts; *why says why. */
bool groups_add_parts(struct groups *, const struct report_source *, struct reason *why);
void groups_add_sites(struct groups *, const struct report *);

/* Sums up the rows, sorts them, and decides which are shown. */
void groups_prepare(struct groups *, const struct report_limits *);

/* Complains where the rows are not what the prepared report has in total. STATUS_FAILED: somewhere. */
int groups_check(const char *path, const struct groups *, const struct report *);

void groups_write(struct out *, const struct groups *, const struct report *, enum report_format);
void groups_free(struct groups *);

#endif
