/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pairs of a report in the order of its sites. */
#ifndef ALLOCSITE_REPORT_PAIRS_H
#define ALLOCSITE_REPORT_PAIRS_H

#include "report.h"

/* Merges equal pairs, sorts them, and tells the sites which are theirs. The sites are in their places. */
void pairs_prepare(struct report *);

#endif
