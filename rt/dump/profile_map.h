/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files mapped to be read while a program may be changing them. */
#ifndef ALLOCSITE_PROFILE_MAP_H
#define ALLOCSITE_PROFILE_MAP_H

#include "reason.h"

#include <stddef.h>

struct profile_map {
    void *bytes;
    size_t size;
};

/* Shared with the program, so that a counter is never read half: read(2) gives no such promise. One at a
 * time. What is cut off the file while it is mapped reads as zeros, and profile_map_was_cut is true then;
 * SIGBUS is handled for that. False: *why says why, and nothing is mapped. */
bool profile_map(struct profile_map *, int fd, size_t size, struct reason *why);
bool profile_map_was_cut(void);
void profile_unmap(struct profile_map *);

#endif
