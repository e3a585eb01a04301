/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A number of sites over the time of a recording, up to a moment. */
#ifndef ALLOCSITE_DUMP_RECORD_SERIES_H
#define ALLOCSITE_DUMP_RECORD_SERIES_H

#include "dump/record/moment.h"

typedef uint64_t series_value(const struct counters *);

struct series {
    const struct moment *moment;
    series_value *value;
    const size_t *sites; /* the caller's; NULL: all */
    size_t site_count, point_count;
    size_t *points;     /* numbers of samples */
    uint64_t *amounts;  /* of each site one for each point */
    uint64_t *lows;     /* of all sites: the least at all samples from a point to the next; else NULL */
    uint64_t *totals;   /* of all sites of the recording that are in totals, at each point */
    uint64_t *resident; /* bytes of memory */
};

/* sites: numbers of the moment's rows; NULL: all, with lows. most: points that it has, and no more than that
 * many if memory for them is to be had; 0: all. */
void series_make(struct series *, const struct moment *, const size_t *sites, size_t count, size_t most,
                 series_value *);
void series_free(struct series *);

/* In nanoseconds since 1970. */
static inline uint64_t series_time(const struct series *series, size_t point) {
    return series->moment->times[series->points[point]];
}

/* site: index of it. */
static inline const uint64_t *series_of(const struct series *series, size_t site) {
    return series->amounts + site * series->point_count;
}

uint64_t series_live_bytes(const struct counters *);

#endif
