/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings are the parts of a report that a user should look at: broken limits of a budget, faults, leaks and
 * advice. Written as text and JSON, or for editors and CI.
 *
 * Advice follows from exact counts: each piece says what was counted and what would be saved. If advice needs
 * a counter that the run did not have, a hint names the option that counts it. */
#ifndef ALLOCSITE_DUMP_FINDINGS_FINDINGS_H
#define ALLOCSITE_DUMP_FINDINGS_FINDINGS_H

#include "dump/compare/check.h"
#include "dump/types/layouts.h"
#include "group/groups.h"

/* Enumerator, stable name, level, and meaning or remedy. Faults are in the order of enum pair_kind. */
#define ALLOCSITE_RULES(X)                                                                                   \
    X(RULE_BUDGET, "budget", LEVEL_ERROR, "A limit of the budget is broken.")                                \
    X(RULE_DOUBLE_FREE, "double-free", LEVEL_ERROR, "A block was freed twice.")                              \
    X(RULE_FOREIGN, "foreign-free", LEVEL_ERROR, "An address that no allocator returned was freed.")         \
    X(RULE_MISMATCH, "mismatch", LEVEL_ERROR, "A block was freed by a function of another family.")          \
    X(RULE_ARRAY_MISMATCH, "array-mismatch", LEVEL_ERROR,                                                    \
      "A block of array new was freed by plain delete, or the reverse.")                                     \
    X(RULE_LEAK, "leak", LEVEL_WARNING, "Blocks are never freed.")                                           \
    X(RULE_STACK, "stack", LEVEL_NOTE,                                                                       \
      "Small blocks are freed in the function that allocated them: use a local variable instead.")           \
    X(RULE_REUSE, "reuse", LEVEL_NOTE,                                                                       \
      "Each block is freed before the next one is allocated: keep one block and reuse it.")                  \
    X(RULE_POOL, "pool", LEVEL_NOTE,                                                                         \
      "Many blocks of one size, few of them live at once: use a free list or a pool.")                       \
    X(RULE_SHORT_LIVED, "short-lived", LEVEL_NOTE,                                                           \
      "Blocks are freed before anything else is allocated: use a local variable, or keep one buffer and "    \
      "reuse it.")                                                                                           \
    X(RULE_RESERVE, "reserve", LEVEL_NOTE,                                                                   \
      "Blocks grow in many steps, and realloc may copy them at each: reserve the final size, or grow by a "  \
      "factor.")                                                                                             \
    X(RULE_PADDING, "padding", LEVEL_NOTE,                                                                   \
      "A type has padding between its members: order them by alignment, largest first, to make it smaller.") \
    X(RULE_SIZE_CLASS, "size-class", LEVEL_NOTE,                                                             \
      "A type is slightly larger than one of glibc's block sizes (multiples of 16 bytes, less 8): a type "   \
      "that much smaller saves 16 bytes per block.")

enum level { LEVEL_ERROR, LEVEL_WARNING, LEVEL_NOTE };

enum rule {
#define ALLOCSITE_RULE(rule, name, level, meaning) rule,
    ALLOCSITE_RULES(ALLOCSITE_RULE)
#undef ALLOCSITE_RULE
        RULES
};

struct rule_text {
    const char *name, *meaning;
    enum level level;
};

const struct rule_text *rule_text(enum rule);

struct finding {
    enum rule rule;
    const struct report_site *site; /* NULL: none */
    char *what;                     /* the finding in one sentence */

    /* Advice: upper bounds of the savings. */
    uint64_t calls, copied_bytes, peak_bytes;

    /* Faults and broken limits. */
    const struct report_site *others[4]; /* the site of the block, or more sites of a limit */
    size_t other_count;
    const struct limit *limit;
};

struct findings {
    /* Set by the caller; the other members are zero at first. */
    const struct report *report; /* prepared, with all its sites */
    const char *filter;          /* only sites that match; NULL: all */
    const char *suppressed;      /* leaks to ignore; NULL: none */
    bool has_live;               /* blocks live at the end count as leaks, not only leaked ones */
    const char *budget_path;     /* file of the limits */

    struct finding *list;
    size_t count, capacity;
    char *hints[4]; /* advice that an option would add */
    size_t hint_count;
};

/* Appends a finding or a hint. The format produces its sentence. */
__attribute__((format(printf, 4, 5))) struct finding *
findings_add(struct findings *, enum rule, const struct report_site *, const char *format, ...);
__attribute__((format(printf, 2, 3))) void findings_hint(struct findings *, const char *format, ...);

/* True if the site passes the filter. */
bool findings_want(const struct findings *, const struct report_site *);

void findings_add_broken(struct findings *, const struct check *);

/* Adds advice about sites, and about types if the rows of types have layouts. */
void findings_add_advice(struct findings *, const struct groups *types);

void findings_free(struct findings *);

/* The innermost source location of the site outside system headers; NULL: unknown. */
const struct place *finding_place(const struct report_site *);

/* ---- Writers. */

typedef void findings_function(struct out *, const struct findings *);
findings_function findings_sarif, findings_github;

/* For editors and CI: sarif, github. NULL: no such format. */
findings_function *findings_writer(const char *format);

#endif
