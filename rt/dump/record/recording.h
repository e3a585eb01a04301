/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The format of recordings (allocsite-recording(5)): what the sites of a process had counted at many moments,
 * each as the difference to the moment before.
 *
 * Behind the header come blocks, one for each moment. The bytes of all blocks are one stream of deflate,
 * which is flushed at the end of each: so a recorder that is killed leaves all that it has taken, and what is
 * alike from one moment to the next costs hardly anything. Plain bytes of a block are records, the last one
 * of which is a sample. Numbers are LEB128; differences are zigzag, and wrap around at 2^64. */
#ifndef ALLOCSITE_DUMP_RECORD_RECORDING_H
#define ALLOCSITE_DUMP_RECORD_RECORDING_H

#include "model/counters.h"

#include <stdint.h>
#include <string.h>

#define RECORDING_MAGIC "allocrec"

enum {
    RECORDING_VERSION = 1,
    RECORDING_MAGIC_SIZE = 8,
    RECORDING_HEADER = 16,        /* magic, version, 0: the last two have 4 bytes, the lower ones first */
    RECORDING_BLOCK = 8,          /* in front of each: the bytes that follow, and their CRC-32 */
    RECORDING_BLOCK_MAX = 1 << 26 /* plain bytes of one */
};

/* A text is the number of one that was there before, or the next number and then its length and bytes. 0:
 * NULL.
 */
enum recording_record {
    RECORD_HEAD = 1, /* of whom: enum recording_head numbers, then program and command */
    RECORD_SITE,     /* flags, id, address, line, column; module, build id, function, file, callee, type; the
                        places it was inlined into: their number, of each line, column, function, file */
    RECORD_REASONS,  /* why the numbers are not exact, from here on: their number, texts */
    RECORD_MODULES,  /* from here on: their number, of each path and build id */
    RECORD_SAMPLE /* enum recording_number differences; how many changed, of each: sites that are passed over,
                     a bit for each counter that changed, differences */
};

enum recording_head {
    HEAD_PID,
    HEAD_BEGUN,    /* when the process had, in nanoseconds since 1970; 0: not known */
    HEAD_FLAGS,    /* RECORDING_IS_FORKED */
    HEAD_INTERVAL, /* between samples as they were taken, in nanoseconds */
    HEAD_THINNED,  /* samples that were taken out again, for want of room */
    HEAD_NUMBERS
};

enum { RECORDING_IS_FORKED = 1 };

enum recording_number {
    SAMPLE_TIME,     /* nanoseconds since 1970 */
    SAMPLE_RESIDENT, /* bytes of memory */
    SAMPLE_WITHIN,   /* peak_within of reports */
    SAMPLE_FLAGS,    /* RECORDING_RUNS, RECORDING_HAS_CUSTOM */
    SAMPLE_ENDED,    /* when it ended, by itself; else 0 */
    SAMPLE_NUMBERS
};

enum { RECORDING_RUNS = 1, RECORDING_HAS_CUSTOM = 2 };

enum { SITE_IS_SITED = 1, SITE_IS_BACKING = 2, SITE_OF_WRAPPER = 4 };

/* The counters of a site, in the order of struct counters; of live blocks and bytes, what they are beyond
 * what came less what went, which is nothing as a rule. */
enum { RECORDED_COUNTERS = 20 };

struct recorded_counters {
    uint64_t values[RECORDED_COUNTERS];
};

_Static_assert(sizeof(struct counters) == sizeof(struct recorded_counters), "another version");

/* This site stands for what custom allocators handed out; the first true site has the number behind it. */
enum { RECORDED_CUSTOM, RECORDED_SITES };

static inline struct recorded_counters recorded_of(struct counters counters) {
    struct recorded_counters recorded;
    counters.live_blocks -=
        counters.allocs + counters.reallocs + counters.inherited_blocks - counters.frees - counters.moved;
    counters.live_bytes -= counters.alloc_bytes + counters.realloc_bytes + counters.inherited_bytes -
                           counters.freed_bytes - counters.moved_bytes;
    memcpy(&recorded, &counters, sizeof recorded);
    return recorded;
}

static inline struct counters counters_recorded(const struct recorded_counters *recorded) {
    struct counters counters;
    memcpy(&counters, recorded, sizeof counters);
    counters.live_blocks +=
        counters.allocs + counters.reallocs + counters.inherited_blocks - counters.frees - counters.moved;
    counters.live_bytes += counters.alloc_bytes + counters.realloc_bytes + counters.inherited_bytes -
                           counters.freed_bytes - counters.moved_bytes;
    return counters;
}

#endif
