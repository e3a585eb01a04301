/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report that a command looks at as a whole: loaded, prepared and checked. */
#ifndef ALLOCSITE_DUMP_LOAD_LOADED_H
#define ALLOCSITE_DUMP_LOAD_LOADED_H

#include "dump/line/symbolize.h"
#include "dump/load/source.h"
#include "model/report.h"
#include "write/formats.h"

struct loaded {
    const char *path;
    struct report *report; /* prepared, with all its sites */
    bool is_lawful;        /* and whole; else what is wrong has been told */
    struct report_source source;
};

/* names: of the addresses of unsited allocations, it must outlive the report; NULL: they have none. False:
 * what is wrong with the file has been told, and nothing is left to give back. */
bool loaded_open(struct loaded *, const char *path, struct symbolizer *names);
void loaded_close(struct loaded *);

/* Writes why the numbers are not all: a line for each reason, and that the program has not ended.
 * Nothing for most reports. */
void loaded_doubts_text(struct out *, const struct loaded *);

/* The member {"file":...,"program":...,"exact":...,"totals":{...}}. */
void loaded_json(struct json *, const char *key, const struct loaded *);

/* ---- The laws that must hold between a report's numbers, and who is told of a breach. */

/* Complains about every breach in a prepared report; of many, the first ones. STATUS_FAILED: there is one. */
int laws_check(const char *path, const struct report *);

/* Complains if what the report was read from is damaged. STATUS_FAILED: it is. */
int laws_need_whole(const char *path, const struct report *);

/* Complains if the owners of blocks were not noted, for who wants to go by what is live or the peak.
 * STATUS_FAILED: they were not. */
int laws_need_owners(const char *path, const struct report *);

/* The same of calling frames, for who wants to go by stacks. */
int laws_need_stacks(const char *path, bool has_stacks);

/* ---- Whether a report keeps the laws: what must hold between its numbers, whatever the program did. */

struct report_breach {
    const struct report_site *site; /* NULL: the totals */
    const char *law;                /* "left = right" or "left <= right", in the names of the counters */
    uint64_t left, right;           /* what the two sides are */
};

typedef void report_breach_function(void *context, const struct report_breach *);

/* Calls function for each breach in a report that has been prepared, and returns how many there are. Every
 * site and the totals must have
 *
 *     what came = what went + what is live, in blocks and in bytes (counters.h);
 *     live blocks not above the most that it ever had, live bytes of all not above the peak, which no share
 *     of a site in it is above;
 *     lost blocks among the live ones (if the report has reach);
 *     frees and moves as many as its pairs tell (if the report has pairs, is exact, and of what has ended).
 */
size_t report_check(const struct report *, report_breach_function *, void *context);

#endif
