/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Samples of a process: reports that are read of it one after the other, into a recording. */
#ifndef ALLOCSITE_DUMP_RECORD_TAKE_H
#define ALLOCSITE_DUMP_RECORD_TAKE_H

#include "dump/record/write.h"

struct taken_site {
    struct report_site row; /* what identifies it, and what it had in the last sample */
    struct place *places;
    uint64_t sample; /* the last one that it was in */
};

/* All zero, but for what the caller sets: none yet. */
struct taking {
    const char *path;
    uint64_t limit;    /* bytes that the file may have */
    uint64_t interval; /* nanoseconds */

    struct recording_writer writer;
    uint64_t sample_count, thinned;
    struct taken_site *sites; /* number less RECORDED_SITES */
    size_t site_count, site_room;
    struct hash_index index;
    struct string_pool strings;
    struct recorded_counters custom;
    uint64_t doubts, module_count; /* of the last sample: of what reasons and how many modules it had */
};

/* Adds what the report has, which must be prepared with all its sites and not symbolized. time: nanoseconds
 * since 1970, never less than the last one; resident: bytes of memory. The first one replaces a file that is
 * there. False: *why says why. */
bool taking_add(struct taking *, const struct report *, uint64_t time, uint64_t resident, struct reason *why);

void taking_end(struct taking *);

/* Rewrites the recording with fewer samples: of its older three quarters every second one. The writer goes on
 * behind it. False: *why says why, and all is as it was. */
bool recording_thin(struct recording_writer *, const char *path, uint64_t *thinned, struct reason *why);

#endif
