/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of a profile that is written: each string and each frame once. */
#ifndef ALLOCSITE_NAME_WRITER_H
#define ALLOCSITE_NAME_WRITER_H

#include "../lib/site_json.h"
#include "../profile.h"
#include "hash_index.h"

/* All zero: none yet. */
struct name_writer {
    char *bytes;
    size_t size, room;
    bool is_full; /* of the four gigabytes that names can have */
    struct hash_index strings, frames, steps;
};

/* Sets *name; 0 for NULL. False: out of memory, or full. */
bool name_write(struct name_writer *, const char *text, profile_name *name);

bool name_write_frame(struct name_writer *, const struct profile_frame *, profile_name *name);

bool name_write_step(struct name_writer *, const struct profile_step *, profile_name *name);

/* Sets *frame to the innermost of the places, or to 0 if there are none. */
bool name_write_chain(struct name_writer *, const struct place *, size_t count, profile_name *frame);

void name_writer_free(struct name_writer *);

#endif
