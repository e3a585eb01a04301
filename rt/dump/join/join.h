/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many reports as one. The memory for it follows the number of distinct sites and pairs, not that of reports:
 * each can be given back as soon as it was added.
 *
 * Counters add up. A block counts once, in the process that allocated it: of what a forked child inherited,
 * its report has what it gave back, as inherited and as freed. What it left alone is in no sum but that of
 * what was left alone; at each site that is as much as it may be, the smaller of what was inherited and what
 * is live. So the sum does not depend on the order, nor on what was joined before.
 *
 * The peak is that of the process that had the largest, for nobody knows what the others had
 * at that moment; peak_within allows for all of them having had theirs then. */
#ifndef ALLOCSITE_DUMP_JOIN_JOIN_H
#define ALLOCSITE_DUMP_JOIN_JOIN_H

#include "dump/base/hash_index.h"
#include "dump/load/source.h"
#include "model/report.h"

/* Reasons that are kept; of more, only that there are more. */
#define JOINED_REASONS_MAX 1000

/* What forked children left alone. */
struct joined_untouched {
    uint64_t blocks, bytes;
    uint64_t lost_blocks, lost_bytes;                   /* of these */
    uint64_t possibly_lost_blocks, possibly_lost_bytes; /* of these, too */
};

struct joined_row {
    struct report_site row;
    struct joined_untouched untouched; /* still in the row's counters */
    struct place *places;              /* the row's own; who has its addresses named gives it others */
    uint64_t peak_of;                  /* number of the report whose peak its share is of */
};

struct joined_stack {
    struct report_stack stack; /* of a joined row; its frames are its own, as are origin and caller */
    struct site_view origin;
    struct place *places;                /* of the origin's chain */
    struct place callers[STACK_CALLERS]; /* of the stack */
    struct joined_untouched untouched;
    uint64_t peak_of;
};

struct joined_phase {
    struct report_phase phase; /* of a joined row, its stack is not set yet */
    size_t stack;              /* number of the joined stack; SIZE_MAX: none */
};

struct joined_pair {
    struct report_pair pair;      /* of joined rows, its stacks are not set yet */
    size_t owner_stack, by_stack; /* numbers of the joined stacks; SIZE_MAX: none */
};

struct joined_reason {
    const char *text;
    uint64_t processes;
};

/* All zero: none yet. */
struct joined {
    struct report report; /* not prepared; set by joined_report */
    uint64_t reports;     /* added */
    uint64_t processes, unfinished, killed, forked, pid;
    struct report_run run; /* of the last one */

    struct joined_row **rows;
    size_t row_count, row_room;
    struct hash_index row_index;
    struct joined_pair *pairs;
    size_t pair_count, pair_room;
    struct hash_index pair_index;
    struct joined_stack **stacks;
    size_t stack_count, stack_room;
    struct hash_index stack_index;
    struct joined_phase *phases;
    size_t phase_count, phase_room;
    struct hash_index phase_index;
    struct report_part *parts;
    size_t part_count, part_room;
    struct hash_index part_index;
    struct report_module **modules;
    size_t module_count, module_room;
    struct hash_index module_index;
    struct joined_reason *reasons;
    size_t reason_count, reason_room;
    const char **programs;
    size_t program_count, program_room;
    const char **walked_for;
    size_t walked_for_count, walked_for_room;
    struct string_pool strings;

    struct joined_untouched untouched; /* by children of reports that were joined before */
    uint64_t custom_peak_of;
    struct joined_untouched custom_untouched;
    uint64_t peak, peak_of; /* the largest, and the number of its report */
    uint64_t peak_bound;    /* sum of all peaks and what they are within */
    uint64_t without_pairs, without_sizes, without_lifetimes, with_reach, without_reach,
        without_parts;    /* reports */
    bool asked_for_reach; /* by some that got no answer */
    const char *lost_unknown;
    bool overflow; /* a sum was too large */

    struct report_module *module_list;
    const char **reason_texts;
    uint64_t *reasons_hold;
    char program[32];
};

/* The report must not be prepared, and is of no use to anybody else afterwards. */
void joined_add(struct joined *, struct report *);

/* Sets joined->report, to which nothing can be added then. */
void joined_report(struct joined *);

void joined_free(struct joined *);

/* ---- The reports of many files as one, one file at a time. */

/* Takes from a file what the joined report will not have. False: *why says why the file is to be left out. */
typedef bool join_visitor(void *context, const struct report_source *, struct reason *why);

/* Sets joined->report. visit is called for each file before it is added; NULL: for none. STATUS_FAILED: some
 * files were left out, each with a complaint. joined->reports is 0 if no report came of it; there is
 * something to free even then. */
int join_files(struct joined *, char **paths, int count, join_visitor *visit, void *context);

/* ---- join.h in parts: counters, processes, calling frames, phases, pairs. */

/* A sum that is too large stays the largest number, and that is noted. */
void joined_add_to(struct joined *, uint64_t *sum, uint64_t part);

/* Adds what a row, or a stack, of the report that is being added has. peak_of: number of the report whose
 * peak the share of the sum is of. */
void joined_add_counters(struct joined *, struct counters *sum, uint64_t *peak_of,
                         const struct counters *part);

/* Adds what a forked child left alone of what it inherited: of counters and lost blocks, or of a stack. The
 * latter takes the stack's part off its site, which has been added. */
void joined_add_untouched(struct joined *, const struct counters *, const struct report_lost *,
                          struct joined_untouched *);
void joined_add_untouched_stack(struct joined *, const struct report_stack *, struct joined_untouched *);

/* Takes all that off, if there are several processes. */
void joined_take_untouched(struct joined *);

/* The programs of a report, and why it is not exact. */
void joined_add_processes(struct joined *, const struct report *);

/* Sets those of the joined report. */
void joined_list_processes(struct joined *);

/* The modules, stacks and all else of calling frames that a report has, what came in its phases, and what its
 * threads counted in them. Its sites have been added. */
void joined_add_stacks(struct joined *, const struct report *);

/* Sets those of the joined report. */
void joined_list_stacks(struct joined *);
void joined_free_stacks(struct joined *);

/* Returns the number of the joined stack of a report's stack, whose site has been added. */
size_t joined_stack_number(struct joined *, const struct report_stack *);

/* The pairs of a report, whose stacks have been added. */
void joined_add_pairs(struct joined *, const struct report *);

/* Sets those of the joined report. Its stacks are set. */
void joined_list_pairs(struct joined *);
void joined_free_pairs(struct joined *);

#endif
