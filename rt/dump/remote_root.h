/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime in another process: where it keeps what it counts. */
#ifndef ALLOCSITE_REMOTE_ROOT_H
#define ALLOCSITE_REMOTE_ROOT_H

#include "remote_memory.h"

#include "../root.h"

/* An array that grows. */
struct remote_table {
    uint32_t element, first;
    uint64_t chunks[ROOT_CHUNKS]; /* addresses; 0: not there yet */
};

struct remote_root {
    uint64_t address; /* of struct root */
    struct root root;
    struct root_store store;
    struct root_registry registry;
    struct root_start start;
    bool has_others;    /* there is another runtime in the process, which counts as well */
    bool has_libraries; /* there are several modules */
};

/* Finds it. False: *why says why. */
bool remote_root_find(struct remote_root *, struct remote_memory *, struct reason *why);

/* Reads a number where the runtime says that it keeps it. 0: it is not there. */
uint32_t remote_u32(struct remote_memory *, const void *there);

/* False: it is not there, or cannot be one. */
bool remote_table_read(struct remote_table *, const struct remote_root *, struct remote_memory *,
                       const void *there);

/* Where the element is; 0: nowhere. */
uint64_t remote_table_at(const struct remote_table *, uint32_t index);

#endif
