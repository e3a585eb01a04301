/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The forms of groups, and what they have in common. */
#ifndef ALLOCSITE_GROUP_WRITE_H
#define ALLOCSITE_GROUP_WRITE_H

#include "base/out.h"
#include "group/groups.h"
#include "write/columns.h"
#include "write/page.h"

void groups_text(struct out *, const struct groups *, const struct report *);
void groups_markdown(struct out *, const struct groups *, const struct report *);
void groups_json(struct out *, const struct groups *, const struct report *);
void groups_csv(struct out *, const struct groups *, const struct report *);
void groups_tsv(struct out *, const struct groups *, const struct report *);

void groups_write(struct out *, const struct groups *, const struct report *, enum report_format);

/* Whether rows of unsited allocations, under their module's name, can be among them. */
static inline bool group_by_has_unsited(enum group_by by) {
    return by != BY_MODULE && by != BY_STACK && !group_by_parts(by);
}

/* Whether their blocks can be lost. */
static inline bool group_by_has_lost(enum group_by by) {
    return by != BY_STACK && by != BY_FREED && !group_by_parts(by);
}

/* What stands for no name. */
static inline const char *group_unnamed(enum group_by by) {
    return by == BY_PHASE ? "(no phase)" : by == BY_TYPE ? "(unknown type)" : "unknown";
}

/* The frames of the row that are shown. */
size_t group_frames(const struct groups *, const struct group_key *);

/* Whether something was counted before a reset. */
bool groups_have_before(const struct groups *);

/* ---- The counters that groups have. */

struct group_counter {
    const char *name;
    size_t offset; /* in struct report_site */
    bool is_signed;
};

#define GROUP_COUNTED(name) +1
enum { GROUP_COUNTERS = 2 ALLOCSITE_TOTALS(GROUP_COUNTED) };
#undef GROUP_COUNTED

/* Writes which counters groups have, in their order, and returns how many. by: BY_SITE is what the totals of
 * a report have. */
size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by, bool has_lost);

uint64_t group_counter_of(const struct report_site *, const struct group_counter *);

void group_counter_write(struct out *, const struct report_site *, const struct group_counter *);

/* ---- The columns of groups for people: those of sites, but for a few. */

/* Those that sites do not have; frees: what a phase or a thread has given back. */
enum {
    COLUMN_FREES = COLUMNS,
    COLUMN_FREED, /* bytes that a line gave back, to realloc as well */
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
void type_use_csv(struct out *, const struct type_use *);

#endif
