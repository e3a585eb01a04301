/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When and how long the process of a report ran, and how it ended; if that is known (report->run.begun). */
#ifndef ALLOCSITE_WRITE_RUN_H
#define ALLOCSITE_WRITE_RUN_H

#include "base/json.h"
#include "write/page.h"

/* "2026-11-22 20:24:58 UTC for 1.234 s, ended by exit with status 3; resident at most: 1.2 MiB" */
void summary_run(const struct page *);

/* "12.000 s after the first of 86,400 samples, at 2026-11-22 20:24:58 UTC; resident: 1.2 MiB" */
void summary_sampled(const struct page *);

/* The member "run". */
void json_run(struct json *, const struct report_run *);

/* NULL: the process has none. */
const char *run_ending_name(uint32_t ending);

#endif
