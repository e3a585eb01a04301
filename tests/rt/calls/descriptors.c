/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptors that no plugin of this release writes: one of another format version, and one that names
 * nothing. */
#include "format.h"

#include <stdio.h>
#include <stdlib.h>

void *ALLOCSITE_ENTRY(malloc)(size_t, struct allocsite_site *);

static struct allocsite_site other = {
    .key = ALLOCSITE_KEY_NONE, .version = ALLOCSITE_FORMAT_VERSION + 1, .scope = 4, .request = 99};
static struct allocsite_site empty = {.key = ALLOCSITE_KEY_NONE, .version = ALLOCSITE_FORMAT_VERSION};

int main(void) {
    for (int i = 0; i < 3; i++) {
        free(ALLOCSITE_ENTRY(malloc)(10, &other));
        free(ALLOCSITE_ENTRY(malloc)(7, &empty));
    }
    puts("done");
    return 3;
}
