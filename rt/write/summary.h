/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines above the table in the formats for people: as a whole, and one function for each line, without
 * its end. */
#ifndef ALLOCSITE_WRITE_SUMMARY_H
#define ALLOCSITE_WRITE_SUMMARY_H

#include "base/out.h"
#include "write/lines.h"

void summary_text(const struct page *);
void summary_markdown(const struct page *);

/* ", pid 42", or ", 10 processes, 3 of them have not ended by themselves": behind the program's name. */
void summary_processes(const struct page *);

/* Why the numbers are not exact: one of the report's reasons; and in how many processes, if not in all. */
void summary_reason(const struct page *, size_t reason);

/* Writes "5.6 MiB in 1,234 allocations and 7 reallocations, 2 failed": as far as there are any. */
void summary_totals(const struct page *);

/* Writes "live at exit: 3.4 KiB in 12 blocks; peak: 1.2 MiB in 3,400 blocks (at most 64 KiB more)". */
void summary_live(const struct page *);

/* Writes "8.4 MiB at most, 4.9 MiB more than the peak: code, stacks, mappings, overhead". */
bool summary_has_resident(const struct report *);
void summary_resident(const struct page *);

/* Writes "1.0 KiB in 3 blocks; still reachable: 2.4 KiB in 9 blocks", or why nothing is known. */
void summary_lost(const struct page *);

static inline bool summary_has_lost(const struct report *report) {
    return report->reach || report->lost_unknown;
}

/* "5 blocks of 300 B that were there when counting began; 9 blocks of 2.0 KiB that 3 forked processes left
 * alone count once, where they were allocated", if there are any. */
void summary_inherited(const struct page *);

static inline bool summary_has_inherited(const struct report *report) {
    return report->totals.counters.inherited_blocks || report->several.untouched_blocks;
}

/* Writes "known for all calls", or "known from the plugin for 99.8% of the calls and 97.1% of the bytes; the
 * others, 30 places, from symbols and debug information alone". */
void summary_lines(const struct page *);

/* "up to 8 frames; 3 paths end early": what paths are not, if they are not whole. */
bool summary_has_paths(const struct report *);
void summary_paths(const struct page *);

/* "200 blocks of 59.6 KiB by custom allocators; the 17 blocks of 68.0 KiB that they took for it (backing) are
 * not in the total", if there are any. */
void summary_custom(const struct page *);

/* "17 more sites" for the rows that are not shown. */
void summary_hidden(const struct page *);

/* Lines below the site's row: inline chain, advice, sizes, and who gave its blocks back. */
void details_of_site(const struct page *, const struct report_site *);

/* "from parse < load < main" of a row by stack, behind a page_break or a line_space. */
void details_of_way(const struct page *, const struct report_site *, void (*separate)(const struct page *));

/* "called by load a.c:12": the part of a row that one caller has; NULL: unknown code has it. */
void details_of_caller(const struct page *, const struct report_site *, const struct place *caller);

/* Puts the callers of a stack's line, from the innermost depth frames; 0: from all. */
void details_of_stack(const struct page *, const struct report_stack *, uint64_t depth, uint64_t calls);

/* Of a site's row by stack, for what is in none. */
void details_of_others(const struct page *, const struct report_site *, uint64_t calls);

/* Each site of the row of what libraries take for themselves. */
void details_of_apart(const struct page *);

/* Each fault with the place of the allocation and of the fault. */
void details_of_faults(const struct page *);

/* ---- When and how long the process of a report ran, and how it ended; if that is known (report->run.begun).
 */

/* "2026-11-22 20:24:58 UTC for 1.234 s, ended by exit with status 3; resident at most: 1.2 MiB" */
void summary_run(const struct page *);

/* "12.000 s after the first of 86,400 samples, at 2026-11-22 20:24:58 UTC; resident: 1.2 MiB" */
void summary_sampled(const struct page *);

/* The member "run". */
void json_run(struct json *, const struct report_run *);

/* NULL: the process has none. */
const char *run_ending_name(uint32_t ending);

#endif
