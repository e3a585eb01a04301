/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters that groups have. */
#include "dump/view/groups_counters.h"

#include "dump/base/complain.h"

#include <inttypes.h>
#include <string.h>

#define OFFSET(name)  offsetof(struct report_site, name)
#define COUNTER(name) {#name, OFFSET(counters.name), false},

static const struct group_counter all[GROUP_COUNTERS] = {
    ALLOCSITE_TOTALS(COUNTER){"lost_blocks", OFFSET(lost_blocks), false},
    {"lost_bytes", OFFSET(lost_bytes), false},
};

static bool has(size_t offset, bool is_part, bool has_lost) {
    if (offset == OFFSET(lost_blocks) || offset == OFFSET(lost_bytes))
        return has_lost && !is_part;
    return !is_part || offset <= OFFSET(counters.failed);
}

size_t groups_counters(struct group_counter list[GROUP_COUNTERS], enum group_by by, bool has_lost) {
    bool is_part = group_by_parts(by);
    size_t count = 0;
    for (size_t i = 0; i < GROUP_COUNTERS; i++) {
        if (!has(all[i].offset, is_part, has_lost))
            continue;
        list[count] = all[i];
        list[count++].is_signed = is_part && (all[i].offset == OFFSET(counters.live_blocks) ||
                                              all[i].offset == OFFSET(counters.live_bytes));
    }
    return count;
}

uint64_t group_counter_of(const struct report_site *sum, const struct group_counter *counter) {
    uint64_t value;
    memcpy(&value, (const char *)sum + counter->offset, sizeof value);
    return value;
}

void group_counter_write(struct out *out, const struct report_site *sum,
                         const struct group_counter *counter) {
    uint64_t value = group_counter_of(sum, counter);
    bool is_negative = counter->is_signed && value >> 63;
    if (is_negative)
        out_char(out, '-');
    out_u64(out, is_negative ? -value : value);
}

/* ---- Whether groups are all of what a report has in total. */

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
