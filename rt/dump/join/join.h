/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges reports into one. The memory is proportional to the number of distinct sites and pairs, not of
 * reports: each report can be freed after it was added.
 *
 * Counters are summed. A block counts once, in the process that allocated it. The report of a forked child
 * has the inherited blocks that the child released, as inherited and as freed. Inherited blocks that it left
 * untouched are only in a separate sum. Per site this number is estimated as the smaller of the inherited and
 * the live blocks. The result does not depend on the order of reports, or on earlier merging.
 *
 * The peak is the largest peak of a process, because the sizes of the others at that time are unknown.
 * peak_within is large enough for the case that all processes had their peaks at the same time. */
#ifndef ALLOCSITE_DUMP_JOIN_JOIN_H
#define ALLOCSITE_DUMP_JOIN_JOIN_H

#include "dump/base/hash_index.h"
#include "dump/load/source.h"
#include "model/report.h"

/* The largest number of reasons that are kept. If there are more, a last reason says so. */
#define JOINED_REASONS_MAX 1000

/* Inherited blocks that forked children left untouched. */
struct joined_untouched {
    uint64_t blocks, bytes;
#define JOINED_LEAKED(name) uint64_t name; /* of these */
    ALLOCSITE_LEAKED(JOINED_LEAKED)
#undef JOINED_LEAKED
};

struct joined_row {
    struct report_site row;
    struct joined_untouched untouched; /* included in the row's counters */
    struct place *places;              /* owned by the row; symbolizing replaces view.inlined */
    uint64_t peak_of;                  /* number of the report that its share of the peak is from */
};

struct joined_stack {
    struct report_stack stack; /* of a merged row; owns its frames, origin and caller */
    struct site_view origin;
    struct place *places;                /* of the origin's inline chain */
    struct place callers[STACK_CALLERS]; /* of the stack */
    struct joined_untouched untouched;
    uint64_t peak_of;
};

struct joined_phase {
    struct report_phase phase; /* of a merged row; its stack is not set yet */
    size_t stack;              /* index of the merged stack; SIZE_MAX: none */
};

struct joined_pair {
    struct report_pair pair;      /* of merged rows; its stacks are not set yet */
    size_t owner_stack, by_stack; /* indices of merged stacks; SIZE_MAX: none */
};

struct joined_reason {
    const char *text;
    uint64_t processes;
};

/* All zero: empty. */
struct joined {
    struct report report; /* not prepared; set by joined_report */
    uint64_t reports;     /* number of added reports */
    uint64_t processes, unfinished, killed, forked, pid;
    struct report_run run; /* of the last report */

    struct joined_row **rows;
    size_t row_count, row_capacity;
    struct hash_index row_index;
    struct joined_pair *pairs;
    size_t pair_count, pair_capacity;
    struct hash_index pair_index;
    struct joined_stack **stacks;
    size_t stack_count, stack_capacity;
    struct hash_index stack_index;
    struct joined_phase *phases;
    size_t phase_count, phase_capacity;
    struct hash_index phase_index;
    struct report_part *parts;
    size_t part_count, part_capacity;
    struct hash_index part_index;
    struct report_module **modules;
    size_t module_count, module_capacity;
    struct hash_index module_index;
    struct joined_reason *reasons;
    size_t reason_count, reason_capacity;
    const char **programs;
    size_t program_count, program_capacity;
    const char **walked_for;
    size_t walked_for_count, walked_for_capacity;
    struct string_pool strings;

    struct joined_untouched untouched; /* from reports that were merged before */
    uint64_t custom_peak_of;
    struct joined_untouched custom_untouched;
    uint64_t peak, peak_of; /* the largest peak, and the number of its report */
    uint64_t peak_bound;    /* sum of all peaks and their bounds */
    uint64_t without_pairs, without_sizes, without_lifetimes, with_reach, without_reach,
        without_parts;    /* numbers of reports */
    bool asked_for_reach; /* some processes tried and failed */
    const char *leaked_unknown;
    bool overflow; /* a sum overflowed */

    struct report_module *module_list;
    const char **reason_texts;
    uint64_t *reasons_hold;
    char program[32];
};

/* The report must not be prepared. Afterwards it can only be freed. */
void joined_add(struct joined *, struct report *);

/* Sets joined->report. Nothing can be added afterwards. */
void joined_report(struct joined *);

void joined_free(struct joined *);

/* ---- Merging files, one at a time. */

/* Extracts data that the merged report will not have. False: *why says why the file is left out. */
typedef bool join_visitor(void *context, const struct report_source *, struct reason *why);

/* Sets joined->report. Calls visit for each file before it is added, unless it is NULL. STATUS_FAILED: some
 * files were left out, each with an error message. joined->reports is 0 if there is no report. The result
 * must be freed in all cases. */
int join_files(struct joined *, char **paths, int count, join_visitor *visit, void *context);

/* ---- Internal interfaces of the files here: counters, processes, calling frames, phases, pairs. */

/* Saturates and notes the overflow. */
void joined_add_to(struct joined *, uint64_t *sum, uint64_t part);

/* Adds the counters of a row or stack of the current report. peak_of: number of the report that the sum's
 * share of the peak is from. */
void joined_add_counters(struct joined *, struct counters *sum, uint64_t *peak_of,
                         const struct counters *part);

/* Add the estimated inherited blocks that a forked child left untouched, for a row's counters or for a stack.
 * joined_add_untouched_stack also subtracts the stack's part from the stack's site, which must have been
 * added before. */
void joined_add_untouched(struct joined *, const struct counters *, struct joined_untouched *);
void joined_add_untouched_stack(struct joined *, const struct report_stack *, struct joined_untouched *);

/* Subtracts the untouched blocks from all sums if there are several processes. */
void joined_take_untouched(struct joined *);

/* Adds the programs of a report and the reasons why it is not exact. */
void joined_add_processes(struct joined *, const struct report *);

/* Sets the merged report's programs and reasons. */
void joined_list_processes(struct joined *);

/* Adds the modules, stacks, phases and threads of a report. Its sites must have been added. */
void joined_add_stacks(struct joined *, const struct report *);

/* Sets the merged report's modules, stacks, phases and parts. */
void joined_list_stacks(struct joined *);
void joined_free_stacks(struct joined *);

/* Index of the merged stack of a report's stack, whose site must have been added. */
size_t joined_stack_number(struct joined *, const struct report_stack *);

/* Adds the pairs of a report, whose stacks must have been added. */
void joined_add_pairs(struct joined *, const struct report *);

/* Sets the merged report's pairs. Its stacks must be set. */
void joined_list_pairs(struct joined *);
void joined_free_pairs(struct joined *);

#endif
