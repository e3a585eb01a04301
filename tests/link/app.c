/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A program with known allocations.
#include <stdlib.h>
#include <string.h>

void *volatile kept;

int main(void) {
    for (int i = 0; i < 10; i++) {
        kept = malloc(100);        // SITE 10 1000
        kept = realloc(kept, 200); // SITE 0 0 10 2000
        free(kept);
    }
    kept = strdup("seven b"); // SITE 1 8
    free(kept);
    return 0;
}
