/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report held against a budget. */
#ifndef ALLOCSITE_DUMP_COMPARE_CHECK_H
#define ALLOCSITE_DUMP_COMPARE_CHECK_H

#include "base/out.h"
#include "dump/base/terminal.h"
#include "dump/load/loaded.h"
#include "dump/view/measure.h"
#include "model/report.h"

/* ---- The names of sites that the patterns of a budget are held against. Made once: a budget has many
 * patterns, and to reduce a demangled name takes longer than to match it. */

struct subject {
    const struct report_site *site;
    char **
        names; /* functions, each whole, as reports show it, and without return type, parameters and
                  template arguments; then clean paths of files; of the site and of what it is inlined into */
    size_t function_count, count;
    char *shown_type; /* as reports show it; NULL: unknown */
    char *module;     /* clean path; NULL: unknown */
    char id[sizeof "0123456789abcdef"];
};

/* Names in their order, with the subjects that have them. */
struct subject_index {
    struct subject_name *names;
    size_t count, room;
    bool is_made; /* when the first limit of its kind looks */
};

struct subjects {
    const struct report *report;
    struct subject *list; /* of all sites that have counted, in the report's order */
    size_t count;
    struct subject_index *by; /* each kind of limit */
    const struct subjects
        *stacks; /* of a report by stack, which limits of stacks are for; NULL: there are none */
};

void subjects_make(struct subjects *, const struct report *);
void subjects_free(struct subjects *);

/* For one site. */
void subject_make(struct subject *, const struct report_site *);
void subject_free(struct subject *);

/* ---- A budget: limits on what a program may allocate, written by people, one subject a line.
 *
 *     # what the parser may cost
 *     total             allocs <= 12000  bytes <= 40MiB  peak <= 12MiB  live <= 0
 *     function parse_*  allocs <= 100
 *     file src/json.*   bytes <= 1MiB
 *     type "std::map<int, *>"  live <= 0
 *     site 0123456789abcdef    peak <= 4KiB
 *     stack *;parse;*   bytes <= 2MiB
 *     skip xmalloc,util.c
 *
 * A limit holds for the sum over all sites that its pattern matches (words.h). A pattern with spaces, or
 * that begins with # or a quote, stands in double quotes; in them \" and \\ are a quote and a backslash.
 * Bytes may have units (amount.h).
 */

enum budget_kind {
    BUDGET_TOTAL,    /* everything; has no pattern */
    BUDGET_SITE,     /* the id */
    BUDGET_FUNCTION, /* in which the call is written, or that it was inlined into */
    BUDGET_FILE,     /* likewise */
    BUDGET_TYPE,     /* that is allocated */
    BUDGET_CALLEE,
    BUDGET_MODULE,  /* with what is unsited there */
    BUDGET_UNSITED, /* in the module */
    BUDGET_STACK,   /* the functions from the outermost one on, with semicolons between them */
    BUDGET_KINDS
};

struct limit {
    enum budget_kind kind;
    enum measure measure;
    const char *pattern; /* NULL: BUDGET_TOTAL */
    uint64_t most;
    unsigned line; /* of the budget */
};

struct budget {
    struct limit *limits;
    size_t count;
    char *patterns;           /* the strings of all limits */
    struct line_options line; /* which line of a path its sites are */
    bool has_line;
};

/* Called for each line that is wrong. */
typedef void budget_complaint(void *context, unsigned line, const char *what);

/* Lines that are wrong are complained about and left out. */
void budget_read(struct budget *, const char *bytes, size_t size, budget_complaint *, void *context);
void budget_free(struct budget *);

const char *budget_kind_name(enum budget_kind);

/* Those that a limit of the kind is for. */
static inline const struct subjects *subjects_for(const struct subjects *subjects, enum budget_kind kind) {
    return kind == BUDGET_STACK ? subjects->stacks : subjects;
}

/* Whether the limit is for the site, among others. */
bool budget_covers(const struct limit *, const struct subject *);

/* The numbers of all that it is for, in the report's order. The caller frees them. */
size_t *subjects_covered(const struct subjects *, const struct limit *, size_t *count);

/* Writes a name as a pattern that matches it: in quotes if it needs them, a question mark for what must not
 * stand in a line. */
void budget_write_pattern(struct out *, const char *name);

/* ---- A report held against a budget. */

/* One limit and what it is for. */
struct verdict {
    const struct limit *limit;
    uint64_t actual;
    size_t sites; /* that the limit is for */
    bool is_kept;
};

struct check {
    const char *budget_path;
    const struct loaded *loaded;
    const struct subjects *subjects;
    struct verdict *verdicts; /* as the budget's limits */
    size_t count, broken;
};

/* The arguments must outlive the check. */
void check_make(struct check *, const struct budget *, const char *budget_path, const struct loaded *,
                const struct subjects *);
void check_free(struct check *);

/* The sums over the sites that a limit is for. */
struct check_sum {
    uint64_t amounts[MEASURES];
    size_t sites;
};

struct check_sum check_sum(const struct subjects *, const struct limit *);

/* Writes the sites that make up most of a verdict, the largest first, and returns how many: at most max, none
 * that has nothing. */
size_t check_largest(const struct check *, const struct verdict *, const struct report_site **sites,
                     size_t max);

/* Complains about limits that are for no site, and about what cannot be checked. STATUS_FAILED: something
 * cannot. */
int check_complain(const struct check *);

/* "function parse_*: allocs"; "function parse_*: allocs 1,204, limit 100, over by 1,104" of a broken one. */
void check_say_limit(struct out *, const struct limit *);
void check_say(struct out *, const struct verdict *);

void check_text(struct out *, const struct check *);
void check_json(struct out *, const struct check *);

/* Writes a budget that the report keeps, with slack percent to spare: for the total, for the functions that
 * ask for most, top of them (0: all), and for what is unsited; or, if there are stacks, for those that do. */
void check_write_budget(struct out *, const struct subjects *, const struct line_options *, uint64_t slack,
                        uint64_t top);

#endif
