/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The modules and the calling frames of a report in JSON. */
#ifndef ALLOCSITE_REPORT_READ_STACKS_H
#define ALLOCSITE_REPORT_READ_STACKS_H

#include "json_field.h"
#include "report_read.h"

/* The sites have been read, and by_id is sorted. False: *why says what is wrong. There may be something to
 * free even then. */
bool report_read_stacks(struct report_file *, const struct json_at *top, struct reason *why);
void report_read_stacks_free(struct report_file *);

#endif
