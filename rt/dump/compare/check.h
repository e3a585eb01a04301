/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report held against a budget. */
#ifndef ALLOCSITE_DUMP_COMPARE_CHECK_H
#define ALLOCSITE_DUMP_COMPARE_CHECK_H

#include "base/out.h"
#include "dump/compare/budget.h"
#include "dump/load/loaded.h"

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
 * ask for most, top of them (0: all), and for what is unsited. */
void check_write_budget(struct out *, const struct subjects *, uint64_t slack, uint64_t top);

#endif
