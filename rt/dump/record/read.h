/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reading a recording, moment after moment. It may be damaged or hostile, or its recorder still at work: what
 * is behind the last whole block is not there yet. */
#ifndef ALLOCSITE_DUMP_RECORD_READ_H
#define ALLOCSITE_DUMP_RECORD_READ_H

#include "dump/base/complain.h"
#include "dump/record/recording.h"
#include "model/report.h"

#include <zlib.h>

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

    bool is_damaged; /* what was behind the last sample */
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

#endif
