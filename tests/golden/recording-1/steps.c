/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites that leak, come and go, and fill up; sited and not. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile kept, *volatile cache[5];

int main(void) {
    for (int i = 0; i < 60; i++) {
        kept = malloc(100);
        free(cache[i % 5]);
        cache[i % 5] = calloc(1, 1000 + (size_t)i);
        char *volatile text = strdup("some text");
        free(text);
        usleep(20000);
    }
}
