/* The shape of what a slot asks for: how many requests of each class of sizes (size_class.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_SIZES_H
#define ALLOCSITE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* Set once by the options, before anything is counted. */
extern bool sizes_wanted __attribute__((visibility("hidden")));

/* For the slot's row: parts have none of their own, which would take 512 bytes for each. */
void sizes_add(uint32_t slot, uint64_t size);

static inline void sizes_count(uint32_t slot, uint64_t size) {
    if (sizes_wanted)
        sizes_add(slot, size);
}

/* SIZE_CLASSES counts. */
const uint64_t *sizes_of(uint32_t slot);

/* Counts from zero again. */
void sizes_reset(void);

#endif
