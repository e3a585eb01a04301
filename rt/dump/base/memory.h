/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory that is there. Who has none left says so in one line and ends with STATUS_FAILED: no command could
 * do anything better. How much a file or a process can make of it is bounded where it is read below. */
#ifndef ALLOCSITE_DUMP_BASE_MEMORY_H
#define ALLOCSITE_DUMP_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* How it ends: exit, or in a child that is not to do what its parent does at its end, _exit. */
extern void (*memory_exit)(int status);

/* The block, which is NULL if there was no memory for it. */
void *memory_need(void *block);

/* One more than so many elements, all zero: an array that is empty is not NULL. */
void *memory_zeros(size_t count, size_t element);

/* A copy of so many bytes; NULL for none. */
void *memory_copy(const void *bytes, size_t size);

/* A text to be freed. */
__attribute__((format(printf, 1, 2))) char *memory_text(const char *format, ...);

/* Makes room for one more element behind count; *room is that of the array, at first 0 with NULL. New
 * elements are not initialized. */
void memory_grow(void *array_pointer, size_t count, size_t *room, size_t element);

/* As qsort, which wants an array even for no elements. */
static inline void sort_list(void *list, size_t count, size_t size,
                             int (*compare)(const void *, const void *)) {
    if (count > 1)
        qsort(list, count, size, compare);
}

/* ---- The parts of a file that are not holes. Holes are zeros that nobody has written: a file of 16 GiB may
 * have 8 KiB on the disk. */

struct extent {
    uint64_t begin, end; /* offsets */
};

struct extents {
    struct extent *list; /* in their order, not touching one another */
    size_t count, room;
    uint64_t size; /* of all together */
};

/* Those of an open file of that size. Of one that is small, or at least half on the disk as those of running
 * programs are, the file as a whole: then nothing is missed of what is written meanwhile. */
struct extents extents_of_file(int fd, uint64_t size);

/* One, of so many bytes. */
struct extents extents_of_all(uint64_t size);

void extents_free(struct extents *);

bool extents_equal(const struct extents *, const struct extents *);

/* Goes on from part->end to the next part below the limit. False: there is none. */
bool extents_next(const struct extents *, struct extent *part, uint64_t limit);

/* ---- How much is taken from outside. The size that a file or a process claims can be any number; what is
 * really there has cost it disk or memory of its own. So the memory and the time that reading takes are
 * bounded by that, and nobody has to wait for numbers alone.
 */

/* In bytes: what takes no time that anybody would notice. */
#define OUTSIDE_ALWAYS (UINT64_C(64) << 20)

/* In bytes, of a process that has so many. Each thread has counters for all sites up to the last that it
 * came by, of which only those pages are there that it counted in: a program of 5,000 sites and 1,000 threads
 * that did nothing else had 15 times less memory than counters. */
static inline uint64_t outside_budget(uint64_t there) {
    const uint64_t times = 64;
    return there < (UINT64_MAX - OUTSIDE_ALWAYS) / times ? OUTSIDE_ALWAYS + times * there : UINT64_MAX;
}

#endif
