/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When the block at an address came, with lifetime=1: beside the shadow table, whose entries have no room for
 * it, and only where it is asked for. 16 bytes for each place where a block may start, made region by region
 * when a block in it is first noted, for each rest of addresses modulo 16 apart: so a heap of the smallest
 * blocks is doubled by it, and a large block costs a page.
 *
 * An entry is written and read by whoever holds the block, as those of the shadow table. A forked child has
 * its parent's. */
#ifndef ALLOCSITE_LIB_HEAP_BIRTHS_H
#define ALLOCSITE_LIB_HEAP_BIRTHS_H

#include <stdbool.h>
#include <stdint.h>

struct birth {
    uint64_t number; /* among all blocks of the process that came, from 1 on; 0: not known */
    uint64_t time;   /* of os_monotonic */
};

/* Set once by the options, before anything is noted. */
extern bool births_wanted __attribute__((visibility("hidden")));

/* False: no memory. */
bool birth_put(const void *p, struct birth);

/* Takes it out. */
struct birth birth_take(const void *p);

#endif
