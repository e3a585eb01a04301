/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The report of one moment of a recording. */
#ifndef ALLOCSITE_DUMP_RECORD_MOMENT_H
#define ALLOCSITE_DUMP_RECORD_MOMENT_H

#include "dump/record/recording.h"

struct moment {
    struct report report; /* not prepared */
    struct recording recording;
    uint64_t *times; /* of all samples */
    size_t time_count, time_capacity;
    size_t number; /* index of the sample */

    /* Memory that the report borrows from. */
    char *bytes;
    struct report_site *rows; /* the recording's sites from RECORDED_SITES on */
    const char **reasons;
};

/* at: a time as for moment_time; NULL: the last sample. On success the moment owns the bytes and frees them.
 * False: *why has the reason, and there is nothing to free. */
bool moment_load(struct moment *, char *bytes, size_t size, const char *at, struct reason *why);
void moment_free(struct moment *);

/* Parses a time: "12.5", "90s", "5m", "2h", "1d" after the first sample, "-90s" before the last one, or
 * "2026-11-23T02:20:12" in UTC. *time: nanoseconds since 1970. False: none of these. */
bool moment_time(const char *text, uint64_t first, uint64_t last, uint64_t *time);

/* ---- Samples up to the moment. */

/* Indices of the first and the last sample and of others at equal distances in time, at most `most` in total
 * (at least 2); 0: all samples. The caller frees them. */
size_t *moment_points(const struct moment *, size_t most, size_t *count);

/* Visits the recording at all samples up to the last point. point: the last one at or before the sample;
 * is_at: the sample is the point. Sites have the moment's row numbers plus RECORDED_SITES. */
typedef void moment_visitor(void *context, const struct recording *, size_t point, bool is_at);
void moment_walk(const struct moment *, const size_t *points, size_t count, moment_visitor *, void *context);

/* ---- Counters of sites over time, up to a moment. */

typedef uint64_t series_value(const struct counters *);

struct series {
    const struct moment *moment;
    series_value *value;
    const size_t *sites; /* owned by the caller; NULL: all */
    size_t site_count, point_count;
    size_t *points;     /* indices of samples */
    uint64_t *amounts;  /* for each site a value at each point */
    uint64_t *lows;     /* if all sites: minimum over the samples from each point to the next; else NULL */
    uint64_t *totals;   /* at each point, over all sites of the recording that are in totals */
    uint64_t *resident; /* bytes of memory */
};

/* sites: rows of the moment; NULL: all, and lows are computed. most: maximum number of points; 0: all. There
 * are fewer if memory does not suffice. */
void series_make(struct series *, const struct moment *, const size_t *sites, size_t count, size_t most,
                 series_value *);
void series_free(struct series *);

/* In nanoseconds since 1970. */
static inline uint64_t series_time(const struct series *series, size_t point) {
    return series->moment->times[series->points[point]];
}

/* site: its index. */
static inline const uint64_t *series_of(const struct series *series, size_t site) {
    return series->amounts + site * series->point_count;
}

uint64_t series_live_bytes(const struct counters *);

#endif
