/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that live across a reset, and some that do not. The notes have the allocations during their lives. */
#include <allocsite.h>
#include <stdlib.h>

static void *volatile kept[4];

int main(void) {
    kept[0] = malloc(10); // = 4
    for (int i = 0; i < 2; i++) {
        kept[1] = malloc(20); // = 1
        kept[2] = malloc(30); // = 0
        free(kept[2]);
        free(kept[1]);
        if (i == 0)
            allocsite_reset();
    }
    free(kept[0]);
    return allocsite_profile("reset.copy");
}
