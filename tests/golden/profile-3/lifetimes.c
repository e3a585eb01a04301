/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks that live short and long; one never ends. */
#include <stdlib.h>

static void *volatile kept[3];

int main(void) {
    kept[0] = malloc(100);
    for (int i = 0; i < 1000; i++) {
        kept[1] = malloc(10);
        kept[2] = malloc(20);
        free(kept[1]);
        kept[2] = realloc(kept[2], 3000);
        free(kept[2]);
    }
    free(kept[0]);
    kept[0] = malloc(200);
    return 0;
}
