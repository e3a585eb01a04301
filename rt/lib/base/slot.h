/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots, their keys for the hot path, and the families of blocks. */
#ifndef ALLOCSITE_LIB_BASE_SLOT_H
#define ALLOCSITE_LIB_BASE_SLOT_H

#include "format.h"

#include <stdint.h>

/* A key is a slot above the bits that an entry of the shadow table uses for a size. One bit less for the size
 * would double the number of slots. But programs with sizes from 500 to 1,000 would then pay for a branch
 * that the processor cannot predict: larson with sizes to 1,000 takes 1.3 times its plain time, and took
 * 1.6. */
#define SLOT_BITS 18
#define KEY_SHIFT 10
#define KEY(slot) ((uint32_t)(slot) << KEY_SHIFT)

/* Owner of the blocks that the runtime itself allocates. Exceeds every thread's capacity. */
#define SLOT_OURS ((1u << SLOT_BITS) - 1)

/* Not a valid slot; exceeds every capacity. Slot 0 is never assigned: an entry of zeros has no owner. */
#define NO_SLOT ALLOCSITE_KEY_NONE

/* Set in a key: every event takes the slow path. */
#define KEY_SLOW 0x80000000u

static inline uint32_t key_slot(uint32_t key) {
    return key == ALLOCSITE_KEY_NONE ? NO_SLOT : (key & ~KEY_SLOW) >> KEY_SHIFT;
}

/* The functions that a block was allocated by, and so those that may free it. */
enum family {
    FAMILY_MALLOC,
    FAMILY_NEW,
    FAMILY_NEW_ARRAY,
    FAMILY_ANY, /* never of a block; of a call of free through another function, whose family is unknown */
    FAMILY_CHUNK = FAMILY_ANY, /* of a block: a chunk that a custom allocator divides. Its entry has the
                                    mark of freed blocks, so the hot path does not handle it */
};

#endif
