/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates until memory is exhausted, and acknowledges each block on standard output. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept;

int main(void) {
    for (uint32_t blocks = 1;; blocks++) {
        kept = memset(malloc(1000), 1, 1000); /* each */
        if (write(1, &blocks, sizeof blocks) != sizeof blocks)
            return 1;
    }
}
