/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is mapped into a process. */
#ifndef ALLOCSITE_PROCESS_MAPS_H
#define ALLOCSITE_PROCESS_MAPS_H

#include "reason.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct process_mapping {
    uint64_t start, offset; /* offset: in the file */
    uint64_t inode;         /* 0: of no file */
    char flags[5];          /* "r-xp" */
    const char *path;       /* as the process sees it; until the next one is read */
};

struct process_maps {
    FILE *file;
    char *line;
    size_t size;
};

/* False: *why says why, and there is nothing to close. */
bool process_maps_open(struct process_maps *, unsigned pid, struct reason *why);
bool process_maps_next(struct process_maps *, struct process_mapping *);
void process_maps_close(struct process_maps *);

#endif
