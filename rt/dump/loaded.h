/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report that a command looks at as a whole: loaded, prepared and checked. */
#ifndef ALLOCSITE_LOADED_H
#define ALLOCSITE_LOADED_H

#include "report_source.h"
#include "symbolize.h"

struct loaded {
    const char *path;
    struct report *report; /* prepared, with all its sites */
    bool is_lawful;        /* else its breaches have been told */
    struct report_source source;
};

/* names: of the addresses of unsited allocations, it must outlive the report; NULL: they have none. False: what is
 * wrong with the file has been told, and nothing is left to give back. */
bool loaded_open(struct loaded *, const char *path, struct symbolizer *names);
void loaded_close(struct loaded *);

/* Writes why the numbers are not all: a line for each reason, that the program has not ended, that sites are
 * left out. Nothing for most reports. */
void loaded_doubts_text(struct out *, const struct loaded *);

/* Writes {"file":...,"program":...,"exact":...,"totals":{...}}. */
void loaded_json(struct out *, const struct loaded *);

/* Writes "name":number members of counters, separated by commas. A site has more than totals. */
void loaded_counters_json(struct out *, const struct counters *, bool is_site);

#endif
