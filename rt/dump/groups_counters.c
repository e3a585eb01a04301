/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The counters that groups have. */
#include "groups_counters.h"

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
