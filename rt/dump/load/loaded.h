/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A whole report for a command: loaded, prepared and checked. */
#ifndef ALLOCSITE_DUMP_LOAD_LOADED_H
#define ALLOCSITE_DUMP_LOAD_LOADED_H

#include "dump/line/symbolize.h"
#include "dump/load/source.h"
#include "model/report.h"
#include "write/formats.h"

struct loaded {
    const char *path;
    struct report *report; /* prepared, with all its sites */
    bool is_lawful;        /* was read completely and obeys the laws; otherwise an error was printed */
    struct report_source source;
};

/* names symbolizes the addresses of unsited allocations and must outlive the report; NULL: leave them
 * unnamed. False after an error message about the file; there is nothing to close. */
bool loaded_open(struct loaded *, const char *path, struct symbolizer *names);
void loaded_close(struct loaded *);

/* Writes a line for each reason why the numbers are inexact or incomplete; nothing for most reports. */
void loaded_doubts_text(struct out *, const struct loaded *);

/* The member {"file":...,"program":...,"exact":...,"totals":{...}}. */
void loaded_json(struct json *, const char *key, const struct loaded *);

/* ---- Checks that print an error message. */

/* Prints the first breaches in a prepared report. STATUS_FAILED: at least one law is broken. */
int laws_check(const char *path, const struct report *);

/* STATUS_FAILED, after an error message, if the file of the report is damaged. */
int laws_need_whole(const char *path, const struct report *);

/* STATUS_FAILED, after an error message, if the owners of blocks were not recorded, so that live blocks and
 * the peak are unknown. */
int laws_need_owners(const char *path, const struct report *);

/* STATUS_FAILED, after an error message, if no calling frames were recorded. */
int laws_need_stacks(const char *path, bool has_stacks);

/* ---- The laws: equations and bounds that hold between a report's numbers, whatever the program did. */

struct report_breach {
    const struct report_site *site; /* NULL: the totals */
    const char *law;                /* "left = right" or "left <= right", in the names of the counters */
    uint64_t left, right;           /* the values of both sides */
};

typedef void report_breach_function(void *context, const struct report_breach *);

/* Calls the function for each breach in a prepared report and returns the number of breaches. For every site
 * and the totals:
 *
 *   - blocks and bytes allocated = blocks and bytes released + live (counters.h);
 *   - live blocks are at most the maximum of live blocks;
 *   - live bytes in total are at most the peak, and so is each site's share of the peak;
 *   - leaked blocks are at most the live ones (if the report has reach);
 *   - frees and moves equal the sums over the pairs (if the report has pairs, is exact and finished). */
size_t report_check(const struct report *, report_breach_function *, void *context);

#endif
