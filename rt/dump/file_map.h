/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regular files in memory. Mapped rather than read: of a large program with debug information only those
 * pages are touched that are looked at, and a counter of a running program is never read half, for which
 * read(2) gives no promise. */
#ifndef ALLOCSITE_FILE_MAP_H
#define ALLOCSITE_FILE_MAP_H

#include "reason.h"

#include <stddef.h>

struct file_map {
    void *bytes;
    size_t size;
    struct file_mapped *mapped; /* what the handler of SIGBUS knows */
};

/* What is cut off the file while it is mapped reads as zeros; SIGBUS is handled for that. False: *why says
 * why, and nothing is mapped. */
bool file_map(struct file_map *, const char *path, struct reason *why);
bool file_map_descriptor(struct file_map *, int fd, size_t size, struct reason *why);
void file_unmap(struct file_map *);

/* Whether something was read that was cut off. */
bool file_map_was_cut(const struct file_map *);

/* Always false: *why says that. */
bool file_map_say_cut(struct reason *why);

#endif
