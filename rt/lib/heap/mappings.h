/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The table of the program's mappings, with maps=1: memory of mmap, brk and shmat. The kernel unmaps any
 * range, so a mapping may lose its begin, its end or a part in between.
 *
 * An array sorted by address. Mapping costs a system call anyway, so a lock protects it. A forked child has
 * its parent's table. The reader finds it by root_mappings. */
#ifndef ALLOCSITE_LIB_HEAP_MAPPINGS_H
#define ALLOCSITE_LIB_HEAP_MAPPINGS_H

#include "root.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set once by the options, before anything is counted. */
extern bool mappings_wanted __attribute__((visibility("hidden")));

/* The first two members are those of an entry of struct root_list. */
struct mapping {
    uintptr_t begin, end;
    uint32_t slot;
    uint32_t unused;
    uint64_t number; /* mappings are numbered in the order of mappings_put */
};

/* A mapping that was removed, and the parts of it that stay. */
struct mapping_cut {
    struct mapping old, pieces[2];
    size_t piece_count;
};

/* Returns false if memory is out. */
bool mappings_begin(void);

/* mappings_lock blocks all signals and returns the mask for mappings_unlock. The functions below need it. */
uint64_t mappings_lock(void);
void mappings_unlock(uint64_t signals);

/* Returns the number of the next mapping. */
uint64_t mappings_number(void);

/* Removes the range from the first mapping that overlaps it and has a number below `below`. Returns false if
 * there is none. */
bool mappings_take(uintptr_t begin, uintptr_t end, uint64_t below, struct mapping_cut *);

/* Adds a mapping that overlaps no other. Returns false if the table is full. */
bool mappings_put(uintptr_t begin, uintptr_t end, uint32_t slot);

/* Returns the end of the mapping that begins there; the address itself if there is none. */
uintptr_t mappings_end(uintptr_t begin);

/* Calls visit for each mapping. */
void mappings_each(void (*visit)(void *context, const struct mapping *), void *context);

#endif
