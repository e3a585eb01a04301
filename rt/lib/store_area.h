/* The list of areas, for who copies them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef ALLOCSITE_STORE_AREA_H
#define ALLOCSITE_STORE_AREA_H

#include "store.h"

struct store_area {
    uint32_t kind, index;
    uint64_t first;
    char *address;
    size_t size;
    bool is_mapped;             /* from the file */
    struct profile_area *entry; /* in the directory of the file; NULL: not there */
};

/* Numbers given so far. */
uint32_t store_area_count(void);

/* NULL: none of that number (yet, or any more). */
const struct store_area *store_area(uint32_t number);

#endif
