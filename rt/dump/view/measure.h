/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measures, which people compare and limit: a number of a site or of the totals, under one name for all
 * commands. */
#ifndef ALLOCSITE_DUMP_VIEW_MEASURE_H
#define ALLOCSITE_DUMP_VIEW_MEASURE_H

#include "base/out.h"
#include "model/report.h"

enum measure {
    MEASURE_BYTES,                  /* that were asked for, by allocations and reallocations */
    MEASURE_ALLOCS,                 /* calls: allocations and reallocations */
    MEASURE_LIVE,                   /* bytes */
    MEASURE_PEAK,                   /* bytes live at the peak; of a site its share in that of the process */
    MEASURE_SORTS,                  /* those above are the orders of --sort */
    MEASURE_BLOCKS = MEASURE_SORTS, /* live */
    MEASURE_FAILED,                 /* calls */
    MEASURE_LOST,                   /* bytes; counted only if the report has reach */
    MEASURES
};

uint64_t measure_of(const struct report_site *, enum measure);

const char *measure_name(enum measure);

/* The measure of the name, which has length bytes; MEASURES: there is none. */
enum measure measure_named(const char *name, size_t length);

/* Bytes have units, calls and blocks have not. */
bool measure_is_bytes(enum measure);

/* "1.5 KiB" or "1,234"; text has UNITS_SIZE bytes. */
void measure_show(char *text, uint64_t amount, enum measure);
void measure_write(struct out *, uint64_t amount, enum measure);

/* A cell of a grid (write/lines.h) whose rows are struct report_site and whose columns are measures. */
void measure_cell(char *text, const void *context, const void *site, int measure);

#endif
