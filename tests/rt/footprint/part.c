/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library with sites that is opened late, or once per namespace. */
#include <stdlib.h>
#include <string.h>

static void *volatile sink;

void part(void);
void part(void) {
    sink = malloc(100); /* @ 1 100 0 0 0 */
    free(sink);
    sink = strdup("abc"); /* @ 1 4 0 0 0 */
    free(sink);
}
