/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measures: numbers of a site or of the totals that users sort by, compare and limit. All commands use the
 * same names. */
#ifndef ALLOCSITE_DUMP_VIEW_MEASURE_H
#define ALLOCSITE_DUMP_VIEW_MEASURE_H

#include "base/out.h"
#include "model/report.h"

enum measure {
    MEASURE_BYTES,                  /* requested by allocations and reallocations */
    MEASURE_ALLOCS,                 /* calls: allocations and reallocations */
    MEASURE_LIVE,                   /* bytes */
    MEASURE_PEAK,                   /* live bytes at the peak; for a site, its part of the process's peak */
    MEASURE_SORTS,                  /* number of the measures above, which are the orders of --sort */
    MEASURE_BLOCKS = MEASURE_SORTS, /* live blocks */
    MEASURE_FAILED,                 /* failed calls */
    MEASURE_LEAKED,                 /* leaked bytes, counted only with reach */
    MEASURES
};

uint64_t measure_of(const struct report_site *, enum measure);

const char *measure_name(enum measure);

/* Returns the measure with a name of length bytes; MEASURES if there is none. */
enum measure measure_named(const char *name, size_t length);

/* Returns whether the measure has units; calls and blocks have none. */
bool measure_is_bytes(enum measure);

/* Writes "1.5 KiB" or "1,234" to text, which has UNITS_SIZE bytes. */
void measure_show(char *text, uint64_t amount, enum measure);
void measure_write(struct out *, uint64_t amount, enum measure);

/* Writes a cell of a grid (write/lines.h) whose rows are struct report_site and whose columns are
 * measures. */
void measure_cell(char *text, const void *context, const void *site, int measure);

#endif
