/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pass-through functions in another file than their callers (lines.c). */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

void *need(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

char *copy(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(need(size), text, size);
}

void grow(void *place, size_t size) {
    void **block = place, *grown = realloc(*block, size);
    if (!grown)
        abort();
    *block = grown;
}

/* Its block comes from elsewhere, so neither this nor a caller that returns it is a pass-through function. */
void *stored(void) {
    static char *block;
    return block;
}
