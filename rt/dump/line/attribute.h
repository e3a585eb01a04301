/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The line of an allocation: the innermost call on its path that is neither in a library nor in a
 * pass-through function (pass_through.h). If there is no such call, it is the outermost one that is not in a
 * library; if all are, the allocation stays where it was counted.
 *
 * The line is chosen for each stack of a site before a report is prepared. Stacks of one line then become one
 * row, wherever they reach an allocator. */
#ifndef ALLOCSITE_DUMP_LINE_ATTRIBUTE_H
#define ALLOCSITE_DUMP_LINE_ATTRIBUTE_H

#include "dump/line/symbolize.h"
#include "model/report.h"

/* Gives each row of a report, whose addresses the symbolizer has looked up, its line, and each stack its
 * origin and its caller. Rows of which no stack was kept get one without frames, and stay as they are unless
 * the symbolizer's options ask for another line. To be called once, before report_prepare; each row must have
 * one stack at most. */
void attribute_report(struct symbolizer *, struct report *);

/* Gives back what that has made. The report must not be used any more. */
void attribute_free(struct report *);

#endif
