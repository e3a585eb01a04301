/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A library with known allocations.
#include <stdlib.h>

void *volatile part_kept;

void part_allocate(void) {
    part_kept = malloc(30); // SITE 4 120
    free(part_kept);
}
