/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The areas of a profile (profile.h). The file may be damaged or hostile, and a running program may be
 * writing to it. Each value is therefore read once, and the copy is checked.
 *
 * The work is bounded by the file's real size: overlapping areas are dropped, claims beyond the end of the
 * file are only counted, and holes are skipped. */
#ifndef ALLOCSITE_DUMP_PROFILE_AREAS_H
#define ALLOCSITE_DUMP_PROFILE_AREAS_H

#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "profile.h"

#include <stddef.h>

/* Slots must fit the keys of pairs. */
#define PROFILE_SLOTS_MAX (UINT64_C(1) << 28)

/* True if `count` slots from the first one on are possible. */
static inline bool profile_has_slots(uint64_t first, uint64_t count) {
    return first < PROFILE_SLOTS_MAX && count <= PROFILE_SLOTS_MAX - first;
}

/* A chunk of a growing array, cut at the end of the file. */
struct profile_chunk {
    const unsigned char *bytes; /* NULL: missing */
    size_t size;
};

/* An area, or part of one, with an element per slot. */
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
    const struct extents *extents; /* everything else is zero */
    struct profile_header header;  /* as read at the beginning */
    struct profile_chunk chunks[PROFILE_KINDS][PROFILE_CHUNKS];
    struct profile_chunk notes, parts;
    struct profile_span *spans; /* records, slots, tallies, extras and rares; by ascending first slot */
    size_t span_count;
    uint64_t claimed; /* entries of the directory */
    uint64_t used;    /* entries in use */
    uint64_t cut;     /* used entries that are not completely in the file */
    uint64_t damaged; /* used entries with impossible values */
};

static inline uint64_t profile_load(const unsigned char *at) {
    return __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

static inline uint32_t profile_load_u32(const unsigned char *at) {
    return __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
}

/* Copies an element; its size is a multiple of 8. */
void profile_copy(void *to, const unsigned char *from, size_t size);

/* Copies an element that ends with rare counters. Counters that the file lacks become 0, unknown ones are
 * left out. */
void profile_copy_rare(void *to, const unsigned char *from, size_t size, const struct profile_areas *);

/* bytes must be aligned to 8. The bytes and the extents are borrowed. False: *why says why this is not a
 * readable profile, and there is nothing to free. */
bool profile_areas_open(struct profile_areas *, const void *bytes, size_t size, const struct extents *extents,
                        struct reason *why);
void profile_areas_close(struct profile_areas *);

/* True if areas were added, or a reset happened, since it was opened. */
bool profile_areas_changed(const struct profile_areas *);

/* Finds the next range of elements after part->end that are not certain to be zero: those that begin at
 * offsets from part->begin up to part->end of the chunk. False: there are none. */
bool profile_chunk_next(const struct profile_areas *, const struct profile_chunk *, size_t element,
                        struct extent *part);

/* An element of a growing array; NULL: not in the file. */
const unsigned char *profile_element(const struct profile_areas *, enum profile_kind, uint64_t index);

/* The bytes of an element as written, and the elements in chunk 0; 0: not a growing array. */
size_t profile_element_size(enum profile_kind);
uint64_t profile_first_chunk(enum profile_kind);

#endif
