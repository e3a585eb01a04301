/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How counters of many reports are joined. */
#include "join_counters.h"

void joined_add_to(struct joined *joined, uint64_t *sum, uint64_t part) {
    if (__builtin_add_overflow(*sum, part, sum)) {
        *sum = UINT64_MAX;
        joined->overflow = true;
    }
}

/* As in a report that has a site twice: the maximum of the sum lies between the larger one and both. */
static void join_maxima(struct joined *joined, struct counters *sum, const struct counters *part) {
    uint64_t bound = sum->max_live_blocks;
    joined_add_to(joined, &bound, sum->max_live_blocks_within);
    joined_add_to(joined, &bound, part->max_live_blocks);
    joined_add_to(joined, &bound, part->max_live_blocks_within);
    if (part->max_live_blocks > sum->max_live_blocks)
        sum->max_live_blocks = part->max_live_blocks;
    sum->max_live_blocks_within = bound - sum->max_live_blocks;
}

/* Shares of a peak that is not the largest any more are left where they are, and dropped at the end. */
static void add_peak(struct joined *joined, struct joined_sum *sum, const struct counters *part) {
    if (joined->peak_of != joined->reports)
        return;
    if (sum->peak_of != joined->reports)
        sum->counters->peak_bytes = sum->counters->peak_blocks = 0;
    sum->peak_of = joined->reports;
    joined_add_to(joined, &sum->counters->peak_bytes, part->peak_bytes);
    joined_add_to(joined, &sum->counters->peak_blocks, part->peak_blocks);
}

void joined_add_counters(struct joined *joined, struct joined_sum *sum, const struct counters *part) {
    struct counters *counters = sum->counters;
    uint64_t peak_bytes = counters->peak_bytes, peak_blocks = counters->peak_blocks;
#define ADD(name) joined_add_to(joined, &counters->name, part->name);
    ALLOCSITE_TOTALS(ADD)
#undef ADD
    counters->peak_bytes = peak_bytes;
    counters->peak_blocks = peak_blocks;
    join_maxima(joined, counters, part);
    add_peak(joined, sum, part);
}
