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

void profile_image_open(struct profile_image *);
void profile_image_free(struct profile_image *);

/* Adds an area with so many bytes, or zeros if they are NULL, and zeros up to the next page. Returns its
 * offset. */
uint64_t profile_image_add(struct profile_image *, const struct profile_area *, const void *bytes);

/* Adds an array that grows, in its chunks. */
void profile_image_add_array(struct profile_image *, enum profile_kind, const void *bytes, size_t count);

/* Writes the directory; nothing can be added then. */
void profile_image_end(struct profile_image *);

#endif
