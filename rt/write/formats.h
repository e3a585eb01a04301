/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report in each of its formats. */
#ifndef ALLOCSITE_WRITE_FORMATS_H
#define ALLOCSITE_WRITE_FORMATS_H

#include "base/out.h"
#include "model/report.h"
#include "names/names.h"
#include "write/lines.h"

#define ALLOCSITE_FORMAT(format, name, for_programs) void report_##name(struct out *, const struct report *);
ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)
#undef ALLOCSITE_FORMAT

static inline void report_write(struct out *out, const struct report *report, enum report_format format) {
#define ALLOCSITE_FORMAT(format, name, for_programs) report_##name,
    static void (*const writers[])(struct out *,
                                   const struct report *) = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    writers[format](out, report);
}

/* ---- Lines of values for programs: CSV (RFC 4180), or without quotes and with tabs between them. */

struct values {
    struct out *out;
    const char *end; /* of a line; NULL: they have tabs */
    bool has_begun;  /* the line */
};

static inline struct values values_csv(struct out *out) {
    return (struct values){.out = out, .end = "\r\n"};
}

/* How many lines follow is the first one, so that a script knows what it reads. */
struct values values_tsv(struct out *, size_t lines);

/* NULL: nothing, so that what is not known is not what has no name. */
void value_text(struct values *, const char *);
void value_number(struct values *, uint64_t);
void value_id(struct values *, uint64_t);

/* The caller writes the value. */
void value_begin(struct values *);
void values_end(struct values *);

/* Live blocks and bytes, calls and bytes; is_freed: blocks and bytes that were given back. */
void value_amounts(struct values *, const struct counters *, bool is_freed);

/* Place, function, allocator and type. */
void value_site(struct values *, const struct site_view *);

/* ---- Call paths. */

/* The calls of a stack, the allocator's first; callers: those of the function that has the line's code. They
 * are valid until the next path is taken. */
struct path {
    const struct report_call *calls;
    size_t count, line, callers; /* line, callers: numbers of calls; callers is count if there are none */
    const char *type;            /* of the allocation; NULL: unknown */
};

/* depth: frames of the stack; 0: all. Empty if stack is NULL, or paths are not known. */
struct path path_of(const struct report *, const struct report_stack *, uint64_t depth);

/* Writes "parse <- load <- main". Functions without a name that call one another are shown as their module.
 */
void path_callers(const struct page *, const struct path *, bool has_lines);

/* All functions as one value of CSV, "<-" between them; and the callers, a value each. */
void value_stack(struct values *, const struct path *);
void value_callers(struct values *, const struct path *);

/* ---- The parts that documents in JSON have in common. */

/* Members, "id" to "inlined" and what some sites have besides. */
void json_site(struct json *, const struct site_view *);

/* Members, one for each counter. A site has more of them than totals. */
void json_counters(struct json *, const struct counters *, bool is_site);

/* Members, "lost_blocks" and "lost_bytes" and the same of possibly lost blocks, if the report has them. */
void json_lost(struct json *, const struct report *, struct report_lost);

/* Members, "function" to "column". */
void json_place(struct json *, const struct place *);

/* Member, "frames": the path of a stack (path_of), which is returned. */
struct path json_frames(struct json *, const struct report *, const struct report_stack *, uint64_t depth);

/* The frames of a row by stack, as a member; of others nothing. */
void json_way(struct json *, const struct report *, const struct report_site *);

/* Members, "program" to "finished": whose numbers these are, and whether they are exact. */
void json_head(struct json *, const struct report *);

/* ---- The columns of tables for people. */

enum column {
    COLUMN_BYTES,
    COLUMN_BYTES_SHARE,
    COLUMN_ALLOCS,
    COLUMN_ALLOCS_SHARE,
    COLUMN_REALLOCS,
    COLUMN_FREES,
    COLUMN_MOVED,
    COLUMN_TEMPORARY,
    COLUMN_FAILED,
    COLUMN_LOST,
    COLUMN_POSSIBLY_LOST,
    COLUMN_LIVE,
    COLUMN_LIVE_SHARE,
    COLUMN_LIVE_BLOCKS,
    COLUMN_PEAK,
    COLUMN_PEAK_SHARE,
    COLUMNS
};

/* Returns whether rows whose sum is totals have something to say in the column. Of the shares only that of
 * the column that rows are sorted by is shown. */
bool column_is_shown(const struct report *, const struct report_limits *, const struct report_site *totals,
                     enum column);

/* Returns the column that rows are sorted by. */
enum column column_sorted(const struct report_limits *);

/* Returns the column with the shares of a column's numbers. */
enum column column_share(enum column);

/* Drops columns until a narrow page has room for the site. The grid may have columns that are not in this
 * list. */
void columns_narrow(struct grid *, const struct report_limits *);

const char *column_name(enum column);

/* The text of a site in the column: one of the report, its totals or its hidden ones. */
void column_cell(char text[UNITS_SIZE], const struct report *, const struct report_site *, enum column);

#endif
