/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates when called by the other file or by a library. */
#include <stdlib.h>

typedef void *callback(size_t);
void library_left(callback **, int, size_t);
void *second(callback *);

static void *volatile kept;

static void *allocate(size_t bytes) {
    kept = malloc(bytes);
    return kept;
}

int main(int argc, char **argv) {
    (void)argv;
    callback *all[] = {allocate};
    for (int i = 0; i < 3; i++) {
        free(allocate(10));
        free(second(allocate));
    }
    if (argc > 1)
        library_left(all, 1, 20);
    return 0;
}
