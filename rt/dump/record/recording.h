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

enum { SITE_IS_SITED = 1, SITE_IS_BACKING = 2 };

/* The counters of a site, in the order of struct counters, at the end of which further ones come; of live
 * blocks and bytes, what they are beyond what came less what went, which is nothing as a rule. */
enum { RECORDED_COUNTERS = sizeof(struct counters) / sizeof(uint64_t) };

struct recorded_counters {
    uint64_t values[RECORDED_COUNTERS];
};

_Static_assert(offsetof(struct counters, temporary) == 18 * sizeof(uint64_t) && RECORDED_COUNTERS <= 64,
               "another version");

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

/* ---- Reading a recording, moment after moment. It may be damaged or hostile, or its recorder still at work:
 * what is behind the last whole block is not there yet. */

struct recorded_site {
    struct site_view view;
    struct recorded_counters now, change; /* change: in the last sample */
};

/* One that changes from sample to sample. Texts live as long as the recording. */
struct recording {
    const uint8_t *bytes;
    size_t size, at;
    z_stream *stream; /* cannot be moved */
    uint8_t *plain;
    size_t plain_size, plain_at, plain_room;
    uint64_t budget; /* memory that may still be taken */
    bool is_wrong;   /* in the block that is read */

    char **texts;
    size_t text_count, text_room;

    bool is_damaged;  /* what was behind the last sample */
    bool has_unknown; /* counters */
    uint64_t head[HEAD_NUMBERS];
    const char *program, *command;
    struct recorded_site *sites; /* the first RECORDED_SITES have no view */
    size_t site_count, site_room;
    const char **reasons;
    size_t reason_count;
    struct report_module *modules;
    size_t module_count;
    bool has_reasons, has_modules; /* the last block had them */

    uint64_t sample_count, numbers[SAMPLE_NUMBERS];
    uint32_t *changed; /* sites, in the last sample */
    size_t changed_count, changed_room;
};

bool recording_is(const void *bytes, size_t size);

/* Blocks of it that are whole; those that are not damaged are samples. */
uint64_t recording_blocks(const void *bytes, size_t size);

/* At the beginning of it. The bytes are needed until it is closed. False: *why says why, and there is nothing
 * to close. */
bool recording_open(struct recording *, const void *bytes, size_t size, struct reason *why);

/* Goes on to the next sample. False: there is none, or what follows is damaged. */
bool recording_next(struct recording *);
void recording_close(struct recording *);

/* ---- Writing a recording, moment after moment. */

struct recording_bytes {
    uint8_t *bytes;
    size_t size, room;
};

struct recording_writer {
    int fd; /* borrowed */
    uint64_t size;
    z_stream *stream; /* cannot be moved */
    struct recording_bytes plain, packed;
    struct string_pool strings; /* that have a number */
    size_t site_count;
    uint64_t numbers[SAMPLE_NUMBERS];  /* of the last sample */
    struct recorded_counters *changes; /* of sites, since then */
    bool *has_changed;
    size_t room, change_count;
};

/* Writes the header. False: *why says why, and there is nothing to close. */
bool recording_create(struct recording_writer *, int fd, struct reason *why);
void recording_end(struct recording_writer *);

/* Whose it is; before the first sample. */
void recording_head(struct recording_writer *, const uint64_t numbers[HEAD_NUMBERS], const char *program,
                    const char *command);

/* A new site. Numbers rise from RECORDED_SITES on. */
void recording_site(struct recording_writer *, const struct site_view *);

void recording_reasons(struct recording_writer *, const char *const *reasons, size_t count);
void recording_modules(struct recording_writer *, const struct report_module *, size_t count);

/* Adds the differences to those that the site has already since the last sample. */
void recording_change(struct recording_writer *, size_t site, const struct recorded_counters *);

/* Writes the block of a sample, its numbers as they are. False: *why says why. */
bool recording_sample(struct recording_writer *, const uint64_t numbers[SAMPLE_NUMBERS], struct reason *why);

/* ---- Samples of a process: reports that are read of it one after the other, into a recording. */

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

#endif
