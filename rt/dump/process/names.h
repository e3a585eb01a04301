/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names and records of a profile, from the memory of a process that has written none: followed from its
 * registry to modules, descriptors (format.h) and texts. */
#ifndef ALLOCSITE_DUMP_PROCESS_NAMES_H
#define ALLOCSITE_DUMP_PROCESS_NAMES_H

#include "dump/process/memory.h"
#include "dump/profile/records.h"

struct remote_names {
    struct remote_memory *memory;
    const struct root_layout *layout;
    struct name_writer writer;
    struct profile_record *records; /* by slot */
    uint32_t count;                 /* up to the last that there is */
    uint64_t unreadable;            /* references that lead nowhere */

    struct number_map known; /* names by the address that they were read from */
};

/* Reads them all. The writer may have names already, which stay. */
void remote_names_read(struct remote_names *, struct remote_memory *, const struct remote_root *);
void remote_names_free(struct remote_names *);

#endif
