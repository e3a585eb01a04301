/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters that groups have. */
#ifndef ALLOCSITE_DUMP_VIEW_GROUPS_COUNTERS_H
#define ALLOCSITE_DUMP_VIEW_GROUPS_COUNTERS_H

#include "dump/view/groups.h"

struct group_counter {
    const char *name;
    size_t offset; /* in struct report_site */
    bool is_signed;
};

#define GROUP_COUNTED(name) +1
enum { GROUP_COUNTERS = 2 ALLOCSITE_TOTALS(GROUP_COUNTED) };
#undef GROUP_COUNTED

/* Writes which counters groups have, in their order, and returns how many. by: BY_SITE is what the totals of
 * a report have. */
size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by, bool has_lost);

uint64_t group_counter_of(const struct report_site *, const struct group_counter *);

void group_counter_write(struct out *, const struct report_site *, const struct group_counter *);

#endif
