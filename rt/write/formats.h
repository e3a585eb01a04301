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
    const char *end; /* of a line; NULL: values are separated by tabs */
    bool has_begun;  /* a value of the current line was written */
};

static inline struct values values_csv(struct out *out) {
    return (struct values){.out = out, .end = "\r\n"};
}

/* Writes the number of lines that follow as the first line, so that a script can find the next table. */
struct values values_tsv(struct out *, size_t lines);

/* NULL writes an empty value without quotes: unknown differs from a name that is empty. */
void value_text(struct values *, const char *);
void value_number(struct values *, uint64_t);

/* The caller writes the value. */
void value_begin(struct values *);
void values_end(struct values *);

/* ---- A row for programs, described once: members of a JSON object, or a line of values, or the line with
 * the names of these values. */

struct record {
    struct json *json;     /* NULL: values */
    struct values *values; /* ends the line (values_end) */
    bool is_head;          /* write the names of the values */
    const char *prefix;    /* of names in a head; NULL: none */
};

static inline struct out *record_out(const struct record *record) {
    return record->json ? record->json->out : record->values->out;
}

/* Returns whether the caller must write the value; a head has only names. */
bool record_begin(const struct record *, const char *name);

/* NULL: unknown. */
void record_text(const struct record *, const char *name, const char *text);
void record_number(const struct record *, const char *name, uint64_t);
void record_id(const struct record *, const char *name, uint64_t);
void record_flag(const struct record *, const char *name, bool);

/* Writes live blocks, live bytes, calls and bytes. is_freed: freed blocks and freed bytes instead. */
void value_amounts(struct values *, const struct counters *, bool is_freed);

/* Writes source location, function, allocator and type. */
void value_site(struct values *, const struct site_view *);

/* ---- Call paths. */

/* The calls of a stack, the allocator's first. `line` and `callers` are indices: of the call with the line of
 * the allocation, and of the first caller of the function that contains this line. `calls` is valid until the
 * next call of path_of. */
struct path {
    const struct report_call *calls;
    size_t count, line, callers; /* callers is count if there are none */
    const char *type;            /* of the allocated element; NULL: unknown */
};

/* Returns the path of the innermost `depth` frames of the stack; 0: of all. Empty if stack is NULL or the
 * report has no paths. */
struct path path_of(const struct report *, const struct report_stack *, uint64_t depth);

/* Writes "parse <- load <- main". A run of functions without names is shown as their module. */
void path_callers(const struct page *, const struct path *, bool has_lines);

/* Write all functions as one CSV value with "<-" between them, and each caller as its own value. */
void value_stack(struct values *, const struct path *);
void value_callers(struct values *, const struct path *);

/* ---- The parts that JSON documents have in common. */

/* Writes the members "id" to "inlined", and the members that only some sites have. */
void json_site(struct json *, const struct site_view *);

/* Writes a member for each counter. A site has more counters than totals have. */
void json_counters(struct json *, const struct counters *, bool is_site);

/* Writes "leaked_blocks", "leaked_bytes" and the same members of possibly leaked blocks, if the report has
 * them. */
void json_leaked(struct json *, const struct report *, const struct counters *);

/* Writes the members "function" to "column". */
void json_place(struct json *, const struct place *);

/* Writes the member "frames" and returns the path that it shows (path_of). */
struct path json_frames(struct json *, const struct report *, const struct report_stack *, uint64_t depth);

/* Writes the frames of a row by stack as a member. Writes nothing for other rows. */
void json_way(struct json *, const struct report *, const struct report_site *);

/* Writes the members "program" to "finished": the processes of the report, and whether its numbers are
 * exact. */
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
    COLUMN_LEAKED,
    COLUMN_POSSIBLY_LEAKED,
    COLUMN_LIVE,
    COLUMN_LIVE_SHARE,
    COLUMN_LIVE_BLOCKS,
    COLUMN_PEAK,
    COLUMN_PEAK_SHARE,
    COLUMNS
};

/* Returns whether the column is worth showing for rows whose sum is totals. Only one column of shares is
 * shown: the shares of the sorted column. */
bool column_is_shown(const struct report *, const struct report_limits *, const struct report_site *totals,
                     enum column);

/* Returns the column that rows are sorted by. */
enum column column_sorted(const struct report_limits *);

/* Returns the column with the shares of a column's numbers. */
enum column column_share(enum column);

/* Drops columns until a narrow page has enough columns left for the site. The grid may also have columns
 * outside of this list. */
void columns_narrow(struct grid *, const struct report_limits *);

const char *column_name(enum column);

/* Writes the cell of a site in the column. The site is a row of the report, its totals or the sum of its
 * hidden rows. */
void column_cell(char text[UNITS_SIZE], const struct report *, const struct report_site *, enum column);

#endif
