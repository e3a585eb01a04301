/* An array that grows without ever moving: chunks of doubling size, mapped when they are first asked for.
 * Lock-free and safe in signal handlers; what is in it lives as long as the process.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_TABLE_H
#define ALLOCSITE_TABLE_H

#include "../profile.h"
#include "os.h"

#include <stdint.h>

#define TABLE_CHUNKS 22

struct table {
    uint32_t element; /* size of an element in bytes */
    uint32_t first;   /* elements of chunk 0, a power of two; chunk k has first << k */
    enum os_fork fork;
    enum profile_kind kind; /* of the areas that its chunks are; PROFILE_NONE: of none */
    char *chunks[TABLE_CHUNKS];
};

/* The element, zeroed at first. NULL: no memory, or the index is beyond all chunks. */
void *table_at(struct table *, uint32_t index);

/* The element if its chunk is there, else NULL; maps nothing. */
void *table_peek(const struct table *, uint32_t index);

/* Where an index is. */
struct table_position {
    uint32_t chunk;
    size_t offset; /* in elements */
};
struct table_position table_position(const struct table *, uint32_t index);

/* What was written to an element stands in the profile's file too; for kinds that a forked child goes on from
 * (store.h). */
void table_tell(const struct table *, uint32_t index, size_t offset, const void *bytes, size_t size);

#endif
