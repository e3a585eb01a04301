/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts that documents in JSON have in common. */
#ifndef ALLOCSITE_WRITE_JSON_H
#define ALLOCSITE_WRITE_JSON_H

#include "base/json.h"
#include "model/report.h"

/* Members, "id" to "inlined" and what some sites have besides. */
void json_site(struct json *, const struct site_view *);

/* Members, one for each counter. A site has more of them than totals. */
void json_counters(struct json *, const struct counters *, bool is_site);

/* Members, "lost_blocks" and "lost_bytes", if the report has them. */
void json_lost(struct json *, const struct report *, const struct report_site *);

/* Member, "frames": so many of the stack, which may be NULL for none. */
void json_frames(struct json *, const struct report_stack *, size_t count);

/* Members, "program" to "finished": whose numbers these are, and whether they are exact. */
void json_head(struct json *, const struct report *);

#endif
