/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Slots, the keys that stand for them where the hot path looks, and the families of blocks. */
#ifndef ALLOCSITE_LIB_BASE_SLOT_H
#define ALLOCSITE_LIB_BASE_SLOT_H

#include "format.h"

#include <stdint.h>

/* A key is a slot above the bits that an entry of the shadow table has for a size. A bit of size less would
 * have twice the slots, but programs whose sizes go from 500 to 1,000 then pay for a branch that the
 * processor cannot predict: larson with sizes to 1,000 is at 1.3 times its plain time, and was at 1.6. */
#define SLOT_BITS 18
#define KEY_SHIFT 10
#define KEY(slot) ((uint32_t)(slot) << KEY_SHIFT)

/* Owner of the blocks that are the runtime's own doing: above every thread's capacity. */
#define SLOT_OURS ((1u << SLOT_BITS) - 1)

/* Not a valid slot; above every capacity. Slot 0 is never given: an entry of zeros has no owner. */
#define NO_SLOT ALLOCSITE_KEY_NONE

/* In a key: every event is to be looked at. */
#define KEY_SLOW 0x80000000u

static inline uint32_t key_slot(uint32_t key) {
    return key == ALLOCSITE_KEY_NONE ? NO_SLOT : (key & ~KEY_SLOW) >> KEY_SHIFT;
}

/* Which functions a block belongs to, and so which may give it back. */
enum family {
    FAMILY_MALLOC,
    FAMILY_NEW,
    FAMILY_NEW_ARRAY,
    FAMILY_ANY, /* of no block: where free was called through another function, whose family it does not tell
                 */
    FAMILY_BACKING =
        FAMILY_ANY, /* of a block: a custom allocator took it to hand it out in parts. In an entry
                       it has the mark of freed ones too, so that the hot path leaves it alone */
};

#endif
