/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assigns each allocation of a report to its line (chooser.h). If the whole path is in libraries, the
 * allocation stays at its site.
 *
 * The line is chosen for each stack of a site, before the report is prepared. Stacks with the same line
 * become one row, even if they call different allocators. */
#ifndef ALLOCSITE_DUMP_LINE_ATTRIBUTE_H
#define ALLOCSITE_DUMP_LINE_ATTRIBUTE_H

#include "dump/line/symbolize.h"
#include "model/report.h"

/* Sets the line of each row, and the origin and callers of each stack. A row's part without a stack gets a
 * stack without frames. The symbolizer must have looked up the report's addresses. Call it once, before
 * report_prepare, on a report whose rows have one stack at most. */
void attribute_report(struct symbolizer *, struct report *);

/* Only adds the stacks without frames, for formats whose rows stay at their sites. Use it instead of
 * attribute_report. */
void attribute_remaining(struct report *);

/* Returns a function's name as the callee of a line, without template arguments: a line calls the same
 * function whatever its types are. An operator keeps its whole name. The caller frees the result. NULL: no
 * name. */
char *attribute_callee(const char *function);

/* Frees the memory of attribute_report or attribute_rests. The report must not be used afterwards. */
void attribute_free(struct report *);

#endif
