// A library with known allocations. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

void *volatile part_kept;

void part_allocate(void) {
    part_kept = malloc(30); // SITE 4 120
    free(part_kept);
}
