/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where things are in a profile (profile.h), which may be damaged or hostile, and which a running program may
 * be writing at this moment: whatever is read of it is read once, and checked as it was read.
 *
 * The bytes to look at are never more than the file has: areas that overlap are dropped, what the file's
 * numbers claim beyond its end is only counted, and holes are passed over. */
#ifndef ALLOCSITE_DUMP_PROFILE_AREAS_H
#define ALLOCSITE_DUMP_PROFILE_AREAS_H

#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "profile.h"

#include <stddef.h>

/* Slots must fit the keys of pairs. */
#define PROFILE_SLOTS_MAX (UINT64_C(1) << 28)

/* Whether there can be so many from the first one on. */
static inline bool profile_has_slots(uint64_t first, uint64_t count) {
    return first < PROFILE_SLOTS_MAX && count <= PROFILE_SLOTS_MAX - first;
}

/* A chunk of an array that grows, as far as it is in the file. */
struct profile_chunk {
    const unsigned char *bytes; /* NULL: it is not there */
    size_t size;
};

/* An area with elements by slot. */
struct profile_span {
    uint64_t first, end; /* slots */
    uint32_t kind;
    uint32_t block; /* of tallies, extras and rares */
    uint32_t size;  /* of an element */
    const unsigned char *elements;
};

struct profile_areas {
    const unsigned char *bytes;
    size_t size;
    const struct extents *there;  /* the rest is zeros */
    struct profile_header header; /* as it was when reading began */
    struct profile_chunk chunks[PROFILE_KINDS][PROFILE_CHUNKS];
    struct profile_chunk notes, parts;
    struct profile_span *spans; /* records, slots, tallies, extras and rares; by rising first slot */
    size_t span_count;
    uint64_t claimed; /* areas that the directory has */
    uint64_t used;    /* of them, those that are of some kind */
    uint64_t cut;     /* of them, those that are not wholly in the file */
    uint64_t damaged; /* and those that are not where or what an area can be */
};

static inline uint64_t profile_load(const unsigned char *at) {
    return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

static inline uint32_t profile_load_u32(const unsigned char *at) {
    return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

/* Copies an element; its size is a multiple of 8. */
void profile_copy(void *to, const unsigned char *from, size_t size);

/* Copies one that ends with rare counters, as many as are known here: those that the file lacks become 0. */
void profile_copy_rare(void *to, const unsigned char *from, size_t size, const struct profile_areas *);

/* Whether it begins as a profile does. */
bool profile_is(const void *bytes, size_t size);

/* bytes must be aligned to 8. The bytes and the extents are borrowed. False: *why says why it is no profile
 * that can be read, and there is nothing to free. */
bool profile_areas_open(struct profile_areas *, const void *bytes, size_t size, const struct extents *there,
                        struct reason *why);
void profile_areas_close(struct profile_areas *);

/* Whether areas, or a reset, have come since it was opened. */
bool profile_areas_changed(const struct profile_areas *);

/* Goes on from part->end to the next elements, of so many bytes each, that are not all zeros for certain:
 * those that begin from offset part->begin of the chunk on, and before part->end. False: there are none. */
bool profile_chunk_next(const struct profile_areas *, const struct profile_chunk *, size_t element,
                        struct extent *part);

/* Element of an array that grows; NULL: it is not in the file. */
const unsigned char *profile_element(const struct profile_areas *, enum profile_kind, uint64_t index);

/* How many bytes an element of the kind has as it is written, and chunk 0 of its array; 0: it is no such
 * array. */
size_t profile_element_size(enum profile_kind);
uint64_t profile_first_chunk(enum profile_kind);

#endif
