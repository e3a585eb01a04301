/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What documents in JSON that are made from a report begin with. */
#ifndef ALLOCSITE_REPORT_HEAD_JSON_H
#define ALLOCSITE_REPORT_HEAD_JSON_H

#include "../lib/report.h"

/* Writes ,"program":...,"finished":... : whose numbers these are, and whether they are exact. */
void report_head_json(struct out *, const struct report *);

/* Writes ,"name":value. */
void json_number(struct out *, const char *name, uint64_t value);
void json_text(struct out *, const char *name, const char *value);

#endif
