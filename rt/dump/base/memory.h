/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocation that never fails. When memory is exhausted the process prints one line and exits with
 * STATUS_FAILED, since no command could continue. Input cannot force this: its size is limited, see below. */
#ifndef ALLOCSITE_DUMP_BASE_MEMORY_H
#define ALLOCSITE_DUMP_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* exit, or _exit in a child that must not run its parent's exit handlers. */
extern void (*memory_exit)(int status);

/* Returns the block, or ends the process if it is NULL. */
void *memory_need(void *block);

/* Space for one element more than count, all zero, so an empty array is not NULL. */
void *memory_zeros(size_t count, size_t element);

/* A copy of the bytes; NULL if size is 0. */
void *memory_copy(const void *bytes, size_t size);

/* A formatted string; the caller frees it. */
__attribute__((format(printf, 1, 2))) char *memory_text(const char *format, ...);

/* Makes space for one element after the first count ones. *room is the capacity, 0 at first with a NULL
 * array. New elements are not initialized. */
void memory_grow(void *array_pointer, size_t count, size_t *capacity, size_t element);

/* qsort, but the list may be NULL if it is empty. */
static inline void sort_list(void *list, size_t count, size_t size,
                             int (*compare)(const void *, const void *)) {
    if (count > 1)
        qsort(list, count, size, compare);
}

/* ---- The parts of a file that are not holes. Holes read as zeros: a file of 16 GiB may use 8 KiB on
 * disk. */

struct extent {
    uint64_t begin, end; /* offsets */
};

struct extents {
    struct extent *list; /* in ascending order, with gaps in between */
    size_t count, capacity;
    uint64_t size; /* sum of the sizes */
};

/* The extents of an open file of that size. A file that is small or at least half allocated, as running
 * programs' are, counts as one extent, so that nothing written meanwhile is missed. */
struct extents extents_of_file(int fd, uint64_t size);

/* One extent of that size. */
struct extents extents_of_all(uint64_t size);

void extents_free(struct extents *);

bool extents_equal(const struct extents *, const struct extents *);

/* Moves to the next extent after part->end and below the limit. False: there is none. */
bool extents_next(const struct extents *, struct extent *part, uint64_t limit);

/* ---- Limits on input. A file or process may claim any size, but data that really exists has cost it disk
 * space or memory. The memory and time for reading are bounded in proportion to that. */

/* Bytes that are always allowed; reading them takes no noticeable time. */
#define OUTSIDE_ALWAYS (UINT64_C(64) << 20)

/* Bytes allowed for a process of that many bytes. A thread has counters for all sites up to the highest that
 * it used, but only pages in which it counted take memory. A program with 5,000 sites and 1,000 threads had
 * 15 times as many bytes of counters as resident bytes. */
static inline uint64_t outside_budget(uint64_t inside) {
    const uint64_t times = 64;
    return inside < (UINT64_MAX - OUTSIDE_ALWAYS) / times ? OUTSIDE_ALWAYS + times * inside : UINT64_MAX;
}

#endif
