/* The entries of unwind tables: what a function has, and what it shares with others.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_WALK_ENTRY_H
#define ALLOCSITE_WALK_ENTRY_H

#include "walk_bytes.h"
#include "walk_cfi.h"

struct cfi_entry {
    struct bytes program, common_program;
    uint64_t code_factor, data_factor;
    uintptr_t begin, size; /* of the code */
    uint8_t encoding;      /* of addresses */
    bool is_signal_frame, has_augmentation;
};

/* The entry whose code holds address. False: none, or the tables are damaged. */
bool cfi_entry_find(const struct cfi_tables *, uintptr_t address, struct cfi_entry *);

/* A pointer in the tables, whose header is there. */
uintptr_t cfi_pointer(struct bytes *, uint8_t encoding, uintptr_t header);

#endif
