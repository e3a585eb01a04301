/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report of one moment of a recording. */
#ifndef ALLOCSITE_DUMP_RECORD_MOMENT_H
#define ALLOCSITE_DUMP_RECORD_MOMENT_H

#include "dump/record/recording.h"

struct moment {
    struct report report; /* not prepared yet */
    struct recording recording;
    uint64_t *times; /* of all samples */
    size_t time_count, time_room;
    size_t number; /* of the sample */

    /* Memory that the report borrows from. */
    char *bytes;
    struct report_site *rows; /* those of the recording's sites from RECORDED_SITES on */
    const char **reasons;
};

/* at: which, as moment_time has it; NULL: the last one. The bytes, which can be freed, are the moment's if it
 * is loaded. False: *why says why, and there is nothing to free. */
bool moment_load(struct moment *, char *bytes, size_t size, const char *at, struct reason *why);
void moment_free(struct moment *);

/* "12.5", "90s", "5m", "2h", "1d": since the first sample; "-90s": before the last one;
 * "2026-11-23T02:20:12": UTC. In nanoseconds since 1970. False: it is none of these. */
bool moment_time(const char *text, uint64_t first, uint64_t last, uint64_t *time);

/* ---- What was before, up to the moment. */

/* Numbers of samples that are the first and the last one, and others as far from each other in time as it
 * takes to have so many at most, 2 or more; 0: all samples. The caller frees them. */
size_t *moment_points(const struct moment *, size_t most, size_t *count);

/* Visits the recording at all samples up to the last point. point: the last one that is not later; is_at: it
 * is that. The sites have the numbers of the moment's rows, RECORDED_SITES more. */
typedef void moment_visitor(void *context, const struct recording *, size_t point, bool is_at);
void moment_walk(const struct moment *, const size_t *points, size_t count, moment_visitor *, void *context);

/* ---- A number of sites over the time of a recording, up to a moment. */

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
