/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints the resident memory of a small program in KiB, the pages of its libraries included. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char line[256];
    long resident = 0;
    for (int i = 0; i < 1000; i++) {
        void *volatile p = malloc((size_t)i);
        free(p);
    }
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %ld", &resident) == 1)
            break;
    printf("%ld\n", resident);
    return resident == 0;
}
