/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Measures that users compare and limit. */
#include "dump/view/measure.h"

#include "names/names.h"

#include <string.h>

static const char *const names[MEASURES] = {
    [MEASURE_BYTES] = "bytes",   [MEASURE_ALLOCS] = "allocs", [MEASURE_LIVE] = "live",
    [MEASURE_PEAK] = "peak",     [MEASURE_BLOCKS] = "blocks", [MEASURE_FAILED] = "failed",
    [MEASURE_LEAKED] = "leaked",
};

uint64_t measure_of(const struct report_site *site, enum measure measure) {
    const struct counters *counters = &site->counters;
    switch (measure) {
    case MEASURE_ALLOCS:
        return counters_calls(counters);
    case MEASURE_LIVE:
        return counters->live_bytes;
    case MEASURE_PEAK:
        return counters->peak_bytes;
    case MEASURE_BLOCKS:
        return counters->live_blocks;
    case MEASURE_FAILED:
        return counters->failed;
    case MEASURE_LEAKED:
        return counters->leaked_bytes;
    default:
        return counters_bytes(counters);
    }
}

const char *measure_name(enum measure measure) {
    return names[measure];
}

enum measure measure_named(const char *name, size_t length) {
    enum measure measure = 0;
    while (measure < MEASURES &&
           (strlen(names[measure]) != length || memcmp(names[measure], name, length) != 0))
        measure++;
    return measure;
}

bool measure_is_bytes(enum measure measure) {
    return measure != MEASURE_ALLOCS && measure != MEASURE_BLOCKS && measure != MEASURE_FAILED;
}

void measure_show(char *text, uint64_t amount, enum measure measure) {
    if (measure_is_bytes(measure))
        units_size(text, amount);
    else
        units_count(text, amount);
}

void measure_write(struct out *out, uint64_t amount, enum measure measure) {
    out_text(out, measure_is_bytes(measure) ? SIZE_TEXT(amount) : COUNT_TEXT(amount));
}

void measure_cell(char *text, const void *context, const void *site, int measure) {
    (void)context;
    if (site)
        measure_show(text, measure_of(site, (enum measure)measure), (enum measure)measure);
    else
        strcpy(text, measure_name((enum measure)measure));
}
