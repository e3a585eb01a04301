/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* heap SIZE MIB [rollup]: allocates MIB MiB in blocks of SIZE bytes, all written, linked and live at exit.
 * Prints their number, or the lines of /proc/self/smaps_rollup. */
#include "rollup.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
};

static struct block *volatile first;

static int grow(size_t size) {
    struct block *block = malloc(size);
    if (!block)
        return 1;
    memset(block, 1, size);
    block->next = first;
    first = block;
    return 0;
}

int main(int argc, char **argv) {
    size_t size = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (size < sizeof(struct block))
        return 2;
    size_t count = (strtoul(argv[2], NULL, 10) << 20) / size;
    for (size_t i = 0; i < count; i++)
        if (grow(size) != 0)
            return 1;
    if (argc > 3)
        return print_rollup();
    printf("%zu\n", count);
}
