/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What must hold between a report's numbers, and who is told if it does not. */
#ifndef ALLOCSITE_LAWS_H
#define ALLOCSITE_LAWS_H

#include "../lib/report.h"

/* Complains about every breach in a prepared report; of many, the first ones. STATUS_FAILED: there is one. */
int laws_check(const char *path, const struct report *);

/* Complains if the owners of blocks were not noted, for who wants to go by what is live or the peak.
 * STATUS_FAILED: they were not. */
int laws_need_owners(const char *path, const struct report *);

#endif
