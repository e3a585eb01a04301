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

/* Gives each row of a report, whose addresses the symbolizer has looked up, its line, and each stack its
 * origin and its caller. If the report has stacks, what no stack has of a row gets one without frames. To be
 * called once, before report_prepare; each row must have one stack at most. */
void attribute_report(struct symbolizer *, struct report *);

/* For programs, which read where each stack was counted: gives what no stack has of a row one without frames.
 * Instead of attribute_report. */
void attribute_rests(struct report *);

/* Gives back what that has made. The report must not be used any more. */
void attribute_free(struct report *);

#endif
