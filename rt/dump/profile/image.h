/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile (profile.h) that is put together in memory. */
#ifndef ALLOCSITE_DUMP_PROFILE_IMAGE_H
#define ALLOCSITE_DUMP_PROFILE_IMAGE_H

#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

struct profile_image {
    char *bytes; /* moves when areas are added; struct profile_header is at its beginning */
    size_t size, room;
    struct profile_area *areas;
    size_t count, area_room;
};

/* False: out of memory. There is something to free even then. */
bool profile_image_open(struct profile_image *);
void profile_image_free(struct profile_image *);

/* Adds an area of zeros, which may be larger than size; its offset is *offset. False: out of memory. */
bool profile_image_add(struct profile_image *, const struct profile_area *, uint64_t *offset);

/* Adds an array that grows, in its chunks. False: out of memory. */
bool profile_image_add_array(struct profile_image *, enum profile_kind, const void *bytes, size_t size);

/* Writes the directory; nothing can be added then. False: out of memory. */
bool profile_image_end(struct profile_image *);

#endif
