/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks a report against a budget. */
#ifndef ALLOCSITE_DUMP_COMPARE_CHECK_H
#define ALLOCSITE_DUMP_COMPARE_CHECK_H

#include "base/out.h"
#include "dump/base/terminal.h"
#include "dump/load/loaded.h"
#include "dump/view/measure.h"
#include "model/report.h"

/* ---- The names of sites that patterns match. A name is computed once, because a budget has many patterns,
 * and reducing a demangled name takes longer than matching it. */

struct subject {
    const struct report_site *site;
    char **names; /* of the site and its inline chain: each function in full, as reports show it, and without
                   * return type, parameters and template arguments; then clean paths of files */
    size_t function_count, count;
    char *shown_type; /* as reports show it; NULL: unknown */
    char *module;     /* clean path; NULL: unknown */
    char id[sizeof "0123456789abcdef"];
};

/* Sorted names and the subjects that have them. */
struct subject_index {
    struct subject_name *names;
    size_t count, capacity;
    bool is_made; /* made for the first limit of its kind */
};

struct subjects {
    const struct report *report;
    struct subject *list; /* all sites with counters, in the report's order */
    size_t count;
    struct subject_index *by;      /* for each kind of limit */
    const struct subjects *stacks; /* of a report by stack, for limits on stacks; NULL: none */
};

void subjects_make(struct subjects *, const struct report *);
void subjects_free(struct subjects *);

/* For one site. */
void subject_make(struct subject *, const struct report_site *);
void subject_free(struct subject *);

/* ---- A budget: limits on a program's allocations, written by hand, one subject per line.
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
 * A limit applies to the sum over all sites that its pattern matches (words.h). A pattern that contains
 * spaces or starts with # or a quote is written in double quotes, with \" and \\ for a quote and a backslash.
 * Bytes may have units (amount.h). */

enum budget_kind {
    BUDGET_TOTAL,    /* everything; no pattern */
    BUDGET_SITE,     /* the id */
    BUDGET_FUNCTION, /* function that contains the call, or into which it was inlined */
    BUDGET_FILE,     /* file of such a function */
    BUDGET_TYPE,     /* the allocated type */
    BUDGET_CALLEE,
    BUDGET_MODULE,  /* the module, including its unsited allocations */
    BUDGET_UNSITED, /* unsited allocations of the module */
    BUDGET_STACK,   /* functions from the outermost to the innermost, separated by semicolons */
    BUDGET_KINDS
};

struct limit {
    enum budget_kind kind;
    enum measure measure;
    const char *pattern; /* NULL: BUDGET_TOTAL */
    uint64_t most;
    unsigned line; /* line number in the budget */
};

struct budget {
    struct limit *limits;
    size_t count;
    char *patterns;           /* the strings of all limits */
    struct line_options line; /* how to choose the lines of sites */
    bool has_line;
};

/* Called for each wrong line. */
typedef void budget_complaint(void *context, unsigned line, const char *what);

/* Reports wrong lines and leaves them out. */
void budget_read(struct budget *, const char *bytes, size_t size, budget_complaint *, void *context);
void budget_free(struct budget *);

const char *budget_kind_name(enum budget_kind);

/* The subjects to which limits of this kind apply. */
static inline const struct subjects *subjects_for(const struct subjects *subjects, enum budget_kind kind) {
    return kind == BUDGET_STACK ? subjects->stacks : subjects;
}

/* True if the limit applies to the site. */
bool budget_covers(const struct limit *, const struct subject *);

/* The indices of all covered sites, in the report's order. The caller frees them. */
size_t *subjects_covered(const struct subjects *, const struct limit *, size_t *count);

/* Writes a name as a pattern that matches it, quoted if necessary. A question mark replaces characters that a
 * line cannot contain. */
void budget_write_pattern(struct out *, const char *name);

/* ---- Checking a report. */

/* One limit and its result. */
struct verdict {
    const struct limit *limit;
    uint64_t actual;
    size_t sites; /* number of covered sites */
    bool is_kept;
};

struct check {
    const char *budget_path;
    const struct loaded *loaded;
    const struct subjects *subjects;
    struct verdict *verdicts; /* one for each limit of the budget */
    size_t count, broken;
};

/* The arguments must outlive the check. */
void check_make(struct check *, const struct budget *, const char *budget_path, const struct loaded *,
                const struct subjects *);
void check_free(struct check *);

/* Sums over the sites that a limit covers. */
struct check_sum {
    uint64_t amounts[MEASURES];
    size_t sites;
};

struct check_sum check_sum(const struct subjects *, const struct limit *);

/* Stores up to max of the largest sites of a verdict, in descending order and without empty ones. Returns
 * their number. */
size_t check_largest(const struct check *, const struct verdict *, const struct report_site **sites,
                     size_t max);

/* Complains about limits that match no site, and about limits that cannot be checked. STATUS_FAILED: a limit
 * cannot be checked. */
int check_complain(const struct check *);

/* Write "function parse_*: allocs", and for a broken limit "function parse_*: allocs 1,204, limit 100, over
 * by 1,104". */
void check_say_limit(struct out *, const struct limit *);
void check_say(struct out *, const struct verdict *);

void check_text(struct out *, const struct check *);
void check_json(struct out *, const struct check *);

/* Writes a budget that the report keeps with slack percent to spare. It limits the total, the `top` largest
 * functions (0: all) and unsited allocations; or if there are stacks, these instead of functions. */
void check_write_budget(struct out *, const struct subjects *, const struct line_options *, uint64_t slack,
                        uint64_t top);

#endif
