/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The format of recordings (allocsite-recording(5)): the counters of a process's sites at many moments, each
 * as the difference to the moment before.
 *
 * The header is followed by blocks, one per moment. All blocks form one deflate stream that is flushed after
 * each block. A recorder that is killed thus leaves all its samples, and repetition between moments costs
 * hardly anything. The uncompressed bytes of a block are records, the last of which is a sample. Numbers are
 * LEB128; differences are zigzag encoded and wrap around at 2^64. */
#ifndef ALLOCSITE_DUMP_RECORD_RECORDING_H
#define ALLOCSITE_DUMP_RECORD_RECORDING_H

#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"
#include "model/counters.h"
#include "model/report.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#define RECORDING_MAGIC "allocrec"

enum {
    RECORDING_VERSION = 1,
    RECORDING_MAGIC_SIZE = 8,
    RECORDING_HEADER = 16,        /* magic; version and 0 with 4 bytes each, little-endian */
    RECORDING_BLOCK = 8,          /* before each block: its size in bytes, and its CRC-32 */
    RECORDING_BLOCK_MAX = 1 << 26 /* uncompressed bytes of a block */
};

/* A string is the number of an earlier one, or the next number followed by its length and bytes. 0: NULL. */
enum recording_record {
    RECORD_HEAD = 1, /* enum recording_head numbers; program and command */
    RECORD_SITE,     /* flags, id, address, line, column; module, build id, function, file, callee, type;
                      * number of inlined places, of each: line, column, function, file */
    RECORD_REASONS,  /* why the numbers are not exact, from here on: number of strings, strings */
    RECORD_MODULES,  /* modules, from here on: number, of each: path and build id */
    RECORD_SAMPLE /* enum recording_number differences; number of changed sites, of each: sites skipped, a bit
                   * for each counter that changed, differences */
};

enum recording_head {
    HEAD_PID,
    HEAD_BEGUN,    /* start of counting, in nanoseconds since 1970; 0: unknown */
    HEAD_FLAGS,    /* RECORDING_IS_FORKED */
    HEAD_INTERVAL, /* between samples as they were taken, in nanoseconds */
    HEAD_THINNED,  /* samples that were removed to save space */
    HEAD_NUMBERS
};

enum { RECORDING_IS_FORKED = 1 };

enum recording_number {
    SAMPLE_TIME,     /* nanoseconds since 1970 */
    SAMPLE_RESIDENT, /* bytes of memory */
    SAMPLE_WITHIN,   /* peak_within of reports */
    SAMPLE_FLAGS,    /* RECORDING_RUNS, RECORDING_HAS_CUSTOM */
    SAMPLE_ENDED,    /* time of the normal end; else 0 */
    SAMPLE_NUMBERS
};

enum { RECORDING_RUNS = 1, RECORDING_HAS_CUSTOM = 2 };

enum { SITE_IS_SITED = 1, SITE_IS_OUTSIDE_TOTALS = 2, SITE_IS_MAPPING = 4 };

/* The counters of a site, in the order of struct counters. New counters are added at the end. Live blocks and
 * bytes are stored minus (allocated - released), which is usually 0. */
enum { RECORDED_COUNTERS = sizeof(struct counters) / sizeof(uint64_t) };

struct recorded_counters {
    uint64_t values[RECORDED_COUNTERS];
};

_Static_assert(offsetof(struct counters, temporary) == 18 * sizeof(uint64_t) && RECORDED_COUNTERS <= 64,
               "another version");

/* The first site is the sum of custom allocators; real sites start at RECORDED_SITES. */
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

/* ---- Reading a recording, moment by moment. It may be damaged or hostile, or still being written:
 * everything after the last complete block is ignored. */

struct recorded_site {
    struct site_view view;
    struct recorded_counters now, change; /* change: in the last sample */
};

/* The state at a sample. Strings live as long as the recording. */
struct recording {
    const uint8_t *bytes;
    size_t size, at;
    z_stream *stream; /* cannot be moved */
    uint8_t *plain;
    size_t plain_size, plain_at, plain_capacity;
    uint64_t budget; /* memory that may still be allocated */
    bool is_wrong;   /* error in the current block */

    char **texts;
    size_t text_count, text_capacity;

    bool is_damaged;  /* error after the last sample */
    bool has_unknown; /* counters */
    uint64_t head[HEAD_NUMBERS];
    const char *program, *command;
    struct recorded_site *sites; /* the first RECORDED_SITES have no view */
    size_t site_count, site_capacity;
    const char **reasons;
    size_t reason_count;
    struct report_module *modules;
    size_t module_count;
    bool has_reasons, has_modules; /* set by the last block */

    uint64_t sample_count, numbers[SAMPLE_NUMBERS];
    uint32_t *changed; /* sites changed in the last sample */
    size_t changed_count, changed_capacity;
};

bool recording_is(const void *bytes, size_t size);

/* The number of complete blocks, each of which is a sample if it is not damaged. */
uint64_t recording_blocks(const void *bytes, size_t size);

/* Starts before the first sample. The bytes must remain until it is closed. False: *why has the reason, and
 * there is nothing to close. */
bool recording_open(struct recording *, const void *bytes, size_t size, struct reason *why);

/* Moves to the next sample. False: there is none, or the next block is damaged. */
bool recording_next(struct recording *);
void recording_close(struct recording *);

/* ---- Writing a recording, moment by moment. */

struct recording_bytes {
    uint8_t *bytes;
    size_t size, capacity;
};

struct recording_writer {
    int fd; /* borrowed */
    uint64_t size;
    z_stream *stream; /* cannot be moved */
    struct recording_bytes plain, packed;
    struct string_pool strings; /* strings that have a number */
    size_t site_count;
    uint64_t numbers[SAMPLE_NUMBERS];  /* of the last sample */
    struct recorded_counters *changes; /* of sites since the last sample */
    bool *has_changed;
    size_t capacity, change_count;
};

/* Writes the header. False: *why has the reason, and there is nothing to close. */
bool recording_create(struct recording_writer *, int fd, struct reason *why);
void recording_end(struct recording_writer *);

/* Writes the head. Must precede the first sample. */
void recording_head(struct recording_writer *, const uint64_t numbers[HEAD_NUMBERS], const char *program,
                    const char *command);

/* Writes a new site. Sites are numbered from RECORDED_SITES on. */
void recording_site(struct recording_writer *, const struct site_view *);

void recording_reasons(struct recording_writer *, const char *const *reasons, size_t count);
void recording_modules(struct recording_writer *, const struct report_module *, size_t count);

/* Adds differences to those of the site since the last sample. */
void recording_change(struct recording_writer *, size_t site, const struct recorded_counters *);

/* Writes the block of a sample, whose numbers are absolute. False: *why has the reason. */
bool recording_sample(struct recording_writer *, const uint64_t numbers[SAMPLE_NUMBERS], struct reason *why);

/* ---- Sampling a process: adds one report after the other to a recording. */

struct taken_site {
    struct report_site row; /* identifies the site; counters at the last sample */
    struct place *places;
    uint64_t sample; /* the last sample that had it */
};

/* All zero, except for what the caller sets: no sample yet. */
struct taking {
    const char *path;
    uint64_t limit;    /* maximum size of the file in bytes */
    uint64_t interval; /* nanoseconds */

    struct recording_writer writer;
    uint64_t sample_count, thinned;
    struct taken_site *sites; /* by number minus RECORDED_SITES */
    size_t site_count, site_capacity;
    struct hash_index index;
    struct string_pool strings;
    struct recorded_counters custom;
    uint64_t doubts, module_count; /* of the last sample: hash of its reasons, number of its modules */
};

/* Adds a sample. The report must be prepared with all its sites and not symbolized. time: nanoseconds since
 * 1970, not decreasing; resident: bytes of memory. The first sample replaces an existing file. False: *why
 * has the reason. */
bool taking_add(struct taking *, const struct report *, uint64_t time, uint64_t resident, struct reason *why);

void taking_end(struct taking *);

#endif
