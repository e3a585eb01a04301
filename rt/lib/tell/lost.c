/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Lost blocks: live ones that nothing in the process points to any more. */
#include "lib/tell/look.h"

#include "base/words.h"
#include "lib/base/os.h"
#include "lib/base/state.h"
#include "lib/base/table.h"
#include "lib/store/store.h"
#include "lib/who/registry.h"
#include "root.h"

static struct table possibly_lost = {.element = sizeof(struct profile_possibly_lost),
                                     .first = PROFILE_POSSIBLY_LOST_FIRST,
                                     .fork = OS_FORK_WIPES,
                                     .areas = &store_areas,
                                     .kind = PROFILE_POSSIBLY_LOST};

static void add_lost(void *unused, const void *record) {
    const struct root_lost *lost = record;
    struct profile_slot *slot = slot_at((uint32_t)lost->slot);
    struct profile_possibly_lost *possible =
        lost->possibly_blocks ? table_at(&possibly_lost, (uint32_t)lost->slot) : NULL;
    (void)unused;
    if (possible) {
        possible->blocks = lost->possibly_blocks;
        possible->bytes = lost->possibly_bytes;
    }
    if (slot) {
        slot->lost_blocks = lost->blocks;
        slot->lost_bytes = lost->bytes;
    }
}

void lost_find(struct profile_header *header) {
    struct look look = {.search = "lost", .out = -1, .record = sizeof(struct root_lost), .take = add_lost};
    const char *unknown =
        holes_hide_blocks() ? "not all blocks of the process are known" : look_at_process(&look);
    header->lost_unknown = names_text(unknown);
    header->flags |= unknown ? 0 : PROFILE_HAS_LOST;
}

static void take_size(void *to, const void *record) {
    *(uint64_t *)to = *(const uint64_t *)record;
}

uint64_t lost_deep_size(const void *from) {
    char address[16 + 1] = "";
    uint64_t bytes = 0;
    struct look look = {.search = digits_before(address + sizeof address - 1, (uintptr_t)from, 16),
                        .out = -1,
                        .record = sizeof bytes,
                        .take = take_size,
                        .context = &bytes};
    return from && !look_at_process(&look) ? bytes : 0;
}
