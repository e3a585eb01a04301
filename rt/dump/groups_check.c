/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether groups are all of what a report has in total. */
#include "command.h"
#include "groups_counters.h"

#include <inttypes.h>

/* What the rows of parts must be together: what was inherited came from elsewhere, and a reset takes nothing
 * off a part. */
static struct report_site whole_of_parts(const struct groups *groups, const struct report_site *totals) {
    struct report_site whole = *totals;
    counters_add(&whole.counters, &groups->before_reset);
    whole.counters.live_blocks -= totals->counters.inherited_blocks;
    whole.counters.live_bytes -= totals->counters.inherited_bytes;
    return whole;
}

int groups_check(const char *path, const struct groups *groups, const struct report *report) {
    struct group_counter list[GROUP_COUNTERS];
    size_t count = groups_counters(list, groups->by, report->reach);
    bool of_parts = group_by_parts(groups->by);
    struct report_site whole = of_parts ? whole_of_parts(groups, &report->totals) : report->totals;
    int status = STATUS_DONE;
    for (size_t i = 0; i < count; i++) {
        uint64_t left = group_counter_of(&groups->whole, &list[i]),
                 right = group_counter_of(&whole, &list[i]);
        if (left == right)
            continue;
        complain(path, "breaks a law: sum of %s over all %ss = %s, but they are %" PRIu64 " and %" PRIu64,
                 list[i].name, group_by_name(groups->by), list[i].name, left, right);
        status = STATUS_FAILED;
    }
    return status;
}
