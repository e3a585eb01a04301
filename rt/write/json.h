/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calling frames of a report. */
#ifndef ALLOCSITE_WRITE_JSON_H
#define ALLOCSITE_WRITE_JSON_H

#include "model/report.h"

/* Writes "modules", "walks" and "stacks", each behind a comma; what there is none of is not written. Stacks
 * are those of sites that programs are given. */
void report_stacks_json(struct out *, const struct report *);

/* ---- What documents in JSON that are made from a report begin with. */

/* Writes ,"program":...,"finished":... : whose numbers these are, and whether they are exact. */
void report_head_json(struct out *, const struct report *);

/* Writes ,"name":value. */
void json_number(struct out *, const char *name, uint64_t value);
void json_text(struct out *, const char *name, const char *value);

#endif
