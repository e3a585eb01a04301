/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A little of everything, for programs with another malloc and for reports with various destinations. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile sink;

int main(void) {
    for (int i = 0; i < 100; i++) {
        sink = malloc(24);         /* @ 100 2400 0 0 0 */
        sink = realloc(sink, 100); /* @ 0 0 100 10000 0 */
        free(sink);
    }
    sink = calloc(3, 5);          /* @ 1 15 0 0 0 */
    sink = aligned_alloc(64, 64); /* @ 1 64 0 0 0 */
    free(sink);
    sink = NULL;
    sink = realloc(sink, 10); /* @ 1 10 0 0 0 */
    free(sink);
    errno = 7;
    sink = strdup("hello"); /* @ 1 6 0 0 0 */
    free(sink);
    if (errno != 7)
        return 9;
    puts("done");
    return 3;
}
