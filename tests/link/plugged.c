/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// An object that is opened and closed again and again.
#include <stdlib.h>

void *volatile plugged_kept;

void plugged_allocate(void) {
    plugged_kept = calloc(2, 8); // SITE 3 48
    free(plugged_kept);
}
