/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The rows of a report by the lines of their allocations (chooser.h). If all of a path is in libraries, the
 * allocation stays where it was counted.
 *
 * The line is chosen for each stack of a site before a report is prepared. Stacks of one line then become one
 * row, wherever they reach an allocator. */
#ifndef ALLOCSITE_DUMP_LINE_ATTRIBUTE_H
#define ALLOCSITE_DUMP_LINE_ATTRIBUTE_H

#include "dump/line/symbolize.h"
#include "model/report.h"

/* Gives each row of a report its line, and each stack its origin and its callers. What no stack has of a row
 * gets a stack without frames. The symbolizer must have looked up the report's addresses. Call it once,
 * before report_prepare, on a report whose rows have one stack at most. */
void attribute_report(struct symbolizer *, struct report *);

/* Adds the stacks without frames alone, for formats whose rows stay where they were counted. Used instead of
 * attribute_report. */
void attribute_rests(struct report *);

/* Returns a function's name as the callee of a line, for free; NULL: it has none. Template arguments are left
 * out, for a line calls the same function whatever its types are; but an operator would lose its sign and its
 * type with them. */
char *attribute_callee(const char *function);

/* Frees what either has made. The report must not be used any more. */
void attribute_free(struct report *);

#endif
