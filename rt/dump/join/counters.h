/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* join.h in parts: counters, processes, calling frames, phases. */
#ifndef ALLOCSITE_DUMP_JOIN_COUNTERS_H
#define ALLOCSITE_DUMP_JOIN_COUNTERS_H

#include "dump/join/join.h"

/* A sum that is too large stays the largest number, and that is noted. */
void joined_add_to(struct joined *, uint64_t *sum, uint64_t part);

/* Adds what a row, or a stack, of the report that is being added has. peak_of: number of the report whose
 * peak the share of the sum is of. */
void joined_add_counters(struct joined *, struct counters *sum, uint64_t *peak_of,
                         const struct counters *part);

/* Of a report of a forked child, what it left alone of what it inherited: of counters; of a stack, which
 * leaves in its site, that has been added, what is of no stack; and of a site's lost blocks. */
void joined_add_untouched(struct joined *, const struct counters *, struct joined_untouched *);
void joined_add_untouched_stack(struct joined *, const struct report_stack *, struct joined_untouched *);
void joined_add_untouched_lost(struct joined *, const struct report_site *);

/* Takes all that off, if there are several processes. */
void joined_take_untouched(struct joined *);

/* The programs of a report, and why it is not exact. */
void joined_add_processes(struct joined *, const struct report *);

/* Sets those of the joined report. */
void joined_list_processes(struct joined *);

/* The modules, stacks and all else of calling frames that a report has. Its sites have been added. */
void joined_add_stacks(struct joined *, const struct report *);

/* The number of the joined stack that the stack of the report that is being added became. */
size_t joined_stack_number(struct joined *, const struct report_stack *);

/* Sets those of the joined report. */
void joined_list_stacks(struct joined *);
void joined_free_stacks(struct joined *);

/* What came in the phases of a report, and what its threads counted in them. Its stacks have been added. */
void joined_add_phases(struct joined *, const struct report *);

/* Sets those of the joined report, whose stacks are set. */
void joined_list_phases(struct joined *);
void joined_free_phases(struct joined *);

#endif
