/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling frames of a report. */
#ifndef ALLOCSITE_REPORT_STACKS_H
#define ALLOCSITE_REPORT_STACKS_H

#include "report.h"

/* Writes "modules", "walks" and "stacks", each behind a comma; what there is none of is not written. Stacks
 * are those of sites that programs are given. */
void report_stacks_json(struct out *, const struct report *);

#endif
