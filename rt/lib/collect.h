/* Taking a report from the slabs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_COLLECT_H
#define ALLOCSITE_COLLECT_H

#include "report.h"

/* Fills report with what all threads have counted so far. Threads that run on meanwhile may or may not be in
 * it with their last calls. What it points at lives as long as the process. False: no memory. */
bool collect(struct report *report);

/* Looks for the holes that only a look shows, and tells the profile of all. Takes a lock of the dynamic
 * loader. */
void collect_holes(void);

#endif
