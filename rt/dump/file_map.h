/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regular files in memory. Mapped rather than read: of a large program with debug information only those
 * pages are touched that are looked at. */
#ifndef ALLOCSITE_FILE_MAP_H
#define ALLOCSITE_FILE_MAP_H

#include "reason.h"

#include <stddef.h>

struct file_map {
    void *bytes;
    size_t size;
};

/* False: *why says why, and nothing is mapped. */
bool file_map(struct file_map *, const char *path, struct reason *why);
void file_unmap(struct file_map *);

#endif
