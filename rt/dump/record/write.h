/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writing a recording, moment after moment. */
#ifndef ALLOCSITE_DUMP_RECORD_WRITE_H
#define ALLOCSITE_DUMP_RECORD_WRITE_H

#include "dump/base/complain.h"
#include "dump/base/hash_index.h"
#include "dump/record/recording.h"
#include "model/report.h"

#include <zlib.h>

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

#endif
