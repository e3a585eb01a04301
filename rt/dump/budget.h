/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A budget: limits on what a program may allocate, written by people, one subject a line.
 *
 *     # what the parser may cost
 *     total             allocs <= 12000  bytes <= 40MiB  peak <= 12MiB  live <= 0
 *     function parse_*  allocs <= 100
 *     file src/json.*   bytes <= 1MiB
 *     type "std::map<int, *>"  live <= 0
 *     site 0123456789abcdef    peak <= 4KiB
 *
 * A limit holds for the sum over all sites that its pattern matches (wildcard.h). A pattern with spaces, or
 * that begins with # or a quote, stands in double quotes; in them \" and \\ are a quote and a backslash.
 * Bytes may have units (amount.h). */
#ifndef ALLOCSITE_BUDGET_H
#define ALLOCSITE_BUDGET_H

#include "measure.h"
#include "reason.h"
#include "subject.h"

enum budget_kind {
    BUDGET_TOTAL,    /* everything; has no pattern */
    BUDGET_SITE,     /* the id */
    BUDGET_FUNCTION, /* in which the call is written, or that it was inlined into */
    BUDGET_FILE,     /* likewise */
    BUDGET_TYPE,     /* that is allocated */
    BUDGET_CALLEE,
    BUDGET_MODULE,  /* with what is unsited there */
    BUDGET_UNSITED, /* in the module */
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
    char *patterns; /* the strings of all limits */
};

/* Called for each line that is wrong. */
typedef void budget_complaint(void *context, unsigned line, const char *what);

/* Lines that are wrong are complained about and left out. False: out of memory, and there is nothing to
 * free. */
bool budget_read(struct budget *, const char *bytes, size_t size, budget_complaint *, void *context);
void budget_free(struct budget *);

const char *budget_kind_name(enum budget_kind);

/* Whether the limit is for the site, among others. */
bool budget_covers(const struct limit *, const struct subject *);

/* Writes a name as a pattern that matches it: in quotes if it needs them, a question mark for what must not
 * stand in a line. */
void budget_write_pattern(struct out *, const char *name);

#endif
