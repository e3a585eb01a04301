/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The orders of a report's sites, pairs and phases. All are total, so that one report has one form. */
#ifndef ALLOCSITE_MODEL_REPORT_ORDER_H
#define ALLOCSITE_MODEL_REPORT_ORDER_H

#include "model/report.h"

/* By what they are; 0: the two are one site of one module. */
int order_identity(const struct report_site *, const struct report_site *);

void order_sites_by_identity(struct report_site **, size_t count);

/* By what is asked for, the largest first. */
void order_sites(struct report_site **, size_t count, const struct report_limits *);

/* ---- The pairs of a report in the order of its sites. */

/* Merges equal pairs, sorts them, and tells the sites which are theirs. The sites are in their places. */
void pairs_prepare(struct report *);

/* ---- Its phases, likewise. */

/* By site, stack (none first) and name. */
int order_phases(const struct report_phase *, const struct report_phase *);

/* Merges equal ones and sorts them. The sites are in their places. */
void phases_prepare(struct report *);

#endif
