/* Counting that a block came, went or changed hands, in the tallies of its owners; what stands in the tables
 * of blocks is the callers' matter. Backing, which custom allocators take to hand it out in parts, is counted
 * in its slots and in no total: neither in what is live nor in the peak.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_CHANGE_H
#define ALLOCSITE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

/* A block as its owner counts it. slot: may be NO_SLOT, for which nothing is counted. */
struct share {
    uint32_t slot;
    bool is_backing;
    uint64_t bytes;
};

/* False: no memory. */
bool change_gain(struct share);
bool change_lose(struct share);

/* A realloc of a block of one owner to one of another or the same; or of one that nobody is known to own. */
bool change_move(struct share from, struct share to);
bool change_appear(struct share);

bool change_fail(uint32_t slot);

#endif
