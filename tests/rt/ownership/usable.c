/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Uses the full usable size of each block, and prints the total. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void use(void *p, const char *what, size_t n) {
    size_t usable = malloc_usable_size(p);
    memset(p, 0x5a, usable);
    if (malloc_usable_size(p) != usable)
        abort();
    printf("%s %zu: %zu\n", what, n, usable);
}

int main(void) {
    static char buffer[1 << 16];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (size_t n = 0; n < 200000; n += 1 + n / 8) {
        char *p = malloc(n), *cleared = calloc(n, 1), *aligned = aligned_alloc(64, n);
        use(p, "malloc", n);
        use(cleared, "calloc", n);
        use(aligned, "aligned_alloc", n);
        p = realloc(p, n + n / 2 + 1);
        use(p, "realloc", n + n / 2 + 1);
        free(p);
        free(cleared);
        free(aligned);
    }
    printf("NULL: %zu\n", malloc_usable_size(NULL));
    return 0;
}
