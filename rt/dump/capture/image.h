/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A copy of those pages of a process that were ever written: the rest is zeros. */
#ifndef ALLOCSITE_DUMP_CAPTURE_IMAGE_H
#define ALLOCSITE_DUMP_CAPTURE_IMAGE_H

#include "dump/process/memory.h"

struct image_run {
    uint64_t address, size;
    char *bytes;
    bool is_shared; /* with files and other processes: a copy of the process has no copy of it */
};

struct image {
    int pagemap;
    uint64_t size; /* of all pages that were asked for */
    struct image_run *runs;
    size_t count, room;
    char *bytes;
    uint64_t room_bytes;
};

bool image_open(struct image *, unsigned pid, struct reason *why);
void image_close(struct image *);

/* Has memory ready for so much, so that no time is lost with that while the process stands still. */
bool image_make_room(struct image *, uint64_t size, struct reason *why);

/* Asks for those pages from begin to end that there are. Returns how many bytes these are. */
uint64_t image_want(struct image *, uint64_t begin, uint64_t end);

/* Forgets what was asked for. */
void image_want_none(struct image *);

/* Finds of what was asked for what a copy of the process does not have of its own: that it counts as shared.
 */
bool image_share(struct image *, unsigned copy, struct reason *why);

/* No more is asked for. False: *why says why. */
bool image_end(struct image *, struct reason *why);

/* Copies what is shared, or the rest; what cannot be read is left out. */
void image_copy(struct image *, struct remote_memory *, bool is_shared);

/* What is there of the memory from the address on, at most so much; NULL: nothing at it. */
const char *image_at(const struct image *, uint64_t address, uint64_t *size);

/* The first run that ends behind the address; the number of runs: none. */
size_t image_behind(const struct image *, uint64_t address);

/* False: not all of it is there. */
bool image_read(const struct image *, uint64_t address, void *to, size_t size);

#endif
