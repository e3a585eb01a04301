/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a report gives reason to look at: limits of a budget that are broken, faults, leaks, and advice; and
 * what editors and CI read it as.
 *
 * Advice is only what the exact counts carry: each says what was counted and what would be saved. What would
 * need a counter that the run did not have is a hint, which names the option. */
#ifndef ALLOCSITE_DUMP_FINDINGS_FINDINGS_H
#define ALLOCSITE_DUMP_FINDINGS_FINDINGS_H

#include "dump/compare/check.h"
#include "dump/types/layouts.h"
#include "group/groups.h"

/* Enumerator, stable name, level, and what it means or what to do. Faults come as in enum pair_kind. */
#define ALLOCSITE_RULES(X)                                                                                   \
    X(RULE_BUDGET, "budget", LEVEL_ERROR, "A limit of the budget is broken.")                                \
    X(RULE_DOUBLE_FREE, "double-free", LEVEL_ERROR, "A block was freed twice.")                              \
    X(RULE_FOREIGN, "foreign-free", LEVEL_ERROR, "What no allocator gave was freed.")                        \
    X(RULE_MISMATCH, "mismatch", LEVEL_ERROR, "A block was freed by a function of another family.")          \
    X(RULE_ARRAY_MISMATCH, "array-mismatch", LEVEL_ERROR,                                                    \
      "A block of array new was freed by plain delete, or the reverse.")                                     \
    X(RULE_LEAK, "leak", LEVEL_WARNING, "Blocks are never given back.")                                      \
    X(RULE_STACK, "stack", LEVEL_NOTE,                                                                       \
      "Small blocks that are given back in the function that asked for them: a variable of it does, "        \
      "without "                                                                                             \
      "any call.")                                                                                           \
    X(RULE_REUSE, "reuse", LEVEL_NOTE,                                                                       \
      "Each block is gone before the next one comes: one that is kept between uses does for all.")           \
    X(RULE_POOL, "pool", LEVEL_NOTE,                                                                         \
      "Many blocks of one size, few at a time: a list of free ones, or a pool, hands them out again.")       \
    X(RULE_SHORT_LIVED, "short-lived", LEVEL_NOTE,                                                           \
      "Blocks are given back before anything else is allocated: a variable of the function, or a buffer "    \
      "that is kept between uses, does for them.")                                                           \
    X(RULE_RESERVE, "reserve", LEVEL_NOTE,                                                                   \
      "Blocks grow in many steps, and realloc may copy them at each: ask for what will be needed at once, "  \
      "or grow by a factor.")                                                                                \
    X(RULE_PADDING, "padding", LEVEL_NOTE,                                                                   \
      "Bytes between the members of a type: with the members in the order of their alignment, the largest "  \
      "first, it is smaller.")                                                                               \
    X(RULE_SIZE_CLASS, "size-class", LEVEL_NOTE,                                                             \
      "A type is a little larger than what glibc's malloc hands out in multiples of 16 bytes, less 8: made " \
      "smaller by that little, each block is 16 bytes smaller.")

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
    const struct report_site *site; /* to look at; NULL: none */
    char *what;                     /* was counted, one sentence */

    /* Of advice: at most so much is saved. */
    uint64_t calls, copied_bytes, peak_bytes;

    /* Of others. */
    const struct report_site *others[4]; /* the block's, or further ones of a limit */
    size_t other_count;
    const struct limit *limit;
};

struct findings {
    /* Set by the caller; the rest is zero at first. */
    const struct report *report; /* prepared, with all its sites */
    const char *filter;          /* only sites that match; NULL: all */
    const char *suppressed;      /* leaks that are none; NULL: all are */
    bool has_live;               /* what is live at the end counts as a leak, not only what is lost */
    const char *budget_path;     /* of the limits */

    struct finding *list;
    size_t count, room;
    char *hints[4]; /* what an option would tell */
    size_t hint_count;
};

/* Adds one; what is formatted. */
__attribute__((format(printf, 4, 5))) struct finding *
findings_add(struct findings *, enum rule, const struct report_site *, const char *format, ...);
__attribute__((format(printf, 2, 3))) void findings_hint(struct findings *, const char *format, ...);

/* Whether it is to be looked at. */
bool findings_want(const struct findings *, const struct report_site *);

void findings_add_broken(struct findings *, const struct check *);
void findings_add_faults(struct findings *);
void findings_add_leaks(struct findings *);

/* Of sites, and of types as far as the rows of types are laid out. */
void findings_add_advice(struct findings *, const struct groups *types);

/* Those of a rule by what they save. */
void findings_sort(struct findings *);
void findings_free(struct findings *);

/* The innermost place of the site that is no header of the system; NULL: none is known. */
const struct place *finding_place(const struct report_site *);

/* Numbers for people, within a text: each use of it has a buffer of its own. */
#define FINDING_COUNT(count)       units_in((char[UNITS_SIZE]){0}, count, units_count)
#define FINDING_SIZE(bytes)        units_in((char[UNITS_SIZE]){0}, bytes, units_size)
#define FINDING_SHARE(part, whole) share_in((char[UNITS_SIZE]){0}, part, whole)
#define FINDING_TIME(time)         units_in((char[UNITS_SIZE]){0}, time, units_time)

static inline const char *units_in(char *text, uint64_t number, void (*write)(char *, uint64_t)) {
    write(text, number);
    return text;
}

/* ---- Writers. */

typedef void findings_function(struct out *, const struct findings *);
findings_function advice_text, advice_json, findings_sarif, findings_github;

/* For editors and CI: sarif, github. NULL: there is none of that name. */
findings_function *findings_writer(const char *format);

#endif
