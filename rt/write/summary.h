/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines above the table of text and Markdown, and the lines below a row. A function that writes one line
 * writes neither its label nor its end. */
#ifndef ALLOCSITE_WRITE_SUMMARY_H
#define ALLOCSITE_WRITE_SUMMARY_H

#include "base/out.h"
#include "write/lines.h"

void summary_text(const struct page *);
void summary_markdown(const struct page *);

/* Writes ", pid 42" or ", 10 processes, 3 of them did not end by exit" after the program's name. */
void summary_processes(const struct page *);

/* Writes one reason why the report is not exact, and the number of processes that have it, unless all do. */
void summary_reason(const struct page *, size_t reason);

/* Writes "5.6 MiB in 1,234 allocations and 7 reallocations, 2 failed", without the parts that are zero. */
void summary_totals(const struct page *);

/* Writes "live at exit: 3.4 KiB in 12 blocks; peak: 1.2 MiB in 3,400 blocks (at most 64 KiB more)". */
void summary_live(const struct page *);

/* Writes "8.4 MiB at most, 4.9 MiB more than the peak: code, stacks, mappings, overhead", or the parts at
 * exit where they are known. */
bool summary_has_resident(const struct report *);
void summary_resident(const struct page *);

/* Writes "1.0 KiB in 3 blocks; still reachable: 2.4 KiB in 9 blocks", or why leaked blocks are unknown. */
void summary_leaked(const struct page *);

static inline bool summary_has_leaked(const struct report *report) {
    return report->reach || report->leaked_unknown;
}

/* Writes "5 blocks of 300 B that were there when counting began; 9 blocks of 2.0 KiB that 3 forked processes
 * left alone count once, where they were allocated". */
void summary_inherited(const struct page *);

static inline bool summary_has_inherited(const struct report *report) {
    return report->totals.counters.inherited_blocks || report->several.untouched_blocks;
}

/* Writes "known for all calls", or "known from the plugin for 99.8% of the calls and 97.1% of the bytes; the
 * others, 30 places, from symbols and debug information alone". */
void summary_lines(const struct page *);

/* Writes "200 blocks of 59.6 KiB by custom allocators; the 17 blocks of 68.0 KiB that they took for it
 * (chunks) are not in the total". */
void summary_custom(const struct page *);

/* Writes "17 more sites" for hidden rows. */
void summary_hidden(const struct page *);

/* Writes the lines below a row: callers, advice, sizes, lifetimes, and where its blocks were freed. */
void details_of_site(const struct page *, const struct report_site *);

/* Writes "called by parse <- load <- main" for a row by stack, after a call of separate (page_break or
 * line_space). */
void details_of_way(const struct page *, const struct report_site *, void (*separate)(const struct page *));

/* Writes "called by load (a.c:12)" for a row by caller. NULL: the caller is unknown code. */
void details_of_caller(const struct page *, const struct report_site *, const struct place *caller);

/* Writes "5 calls by parse <- main" for a row by stack, from the innermost depth frames; 0: from all
 * frames. */
void details_of_stack(const struct page *, const struct report_stack *, uint64_t depth, uint64_t calls);

/* Writes how many calls of a site have no stack, in a report by stack. */
void details_of_others(const struct page *, const struct report_site *, uint64_t calls);

/* Writes the sites that the row "start-up and stdio" sums up. */
void details_of_apart(const struct page *);

/* Writes each fault with the locations of the allocation and of the fault. */
void details_of_faults(const struct page *);

/* ---- The run of the process, if report->run.begun is not 0. */

/* Writes "2026-11-22 20:24:58 UTC for 1.234 s, ended by exit with status 3". */
void summary_run(const struct page *);

/* Writes "12.000 s after the first of 86,400 samples, at 2026-11-22 20:24:58 UTC". */
void summary_sampled(const struct page *);

/* Words for the parts of resident memory, and an object of the parts. */
extern const char *const resident_words[RESIDENT_PART_COUNT];
void json_resident(struct json *, const char *name, const uint64_t *parts);

/* Writes the member "run". */
void json_run(struct json *, const struct report_run *);

#endif
