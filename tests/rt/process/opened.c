/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The library that opener.c opens and closes. */
#include <stdlib.h>
#include <string.h>

static void *volatile sink;

static inline void *helper(size_t n) {
    return malloc(n);
}

void work(void);
void work(void) {
    sink = helper(7); /* @ 1000 7000 0 0 0 */
    free(sink);
    sink = helper(7); /* @ 1000 7000 0 0 0 */
    free(sink);
    sink = strdup("abc"); /* @ 1000 4000 0 0 0 */
    free(sink);
}

__attribute__((destructor)) static void destroy(void) {
    sink = malloc(3); /* @ 1000 3000 0 0 0 */
    free(sink);
}
