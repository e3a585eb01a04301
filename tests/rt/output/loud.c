/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Many sites, some failing and some inlined. The first argument says what happens to standard
 * error. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile sink;
static volatile size_t huge = PTRDIFF_MAX;

static inline void helper(size_t n) {
    sink = malloc(n);
}

#define A4                                                                                                   \
    sink = malloc(3);                                                                                        \
    sink = strdup("x");                                                                                      \
    helper(5);                                                                                               \
    sink = realloc(calloc(2, 7), 1000);
#define A64 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4

const char *__allocsite_default_options(void);
const char *__allocsite_default_options(void) {
    return getenv("DEFAULTS");
}

static void to_stderr(const char *what) {
    if (strcmp(what, "fclose") == 0)
        fclose(stderr);
    else if (strcmp(what, "close") == 0)
        close(2);
    else if (strcmp(what, "data") == 0)
        close(2), write(open("data", O_RDWR | O_CREAT | O_TRUNC, 0600), "data", 4);
    else if (strcmp(what, "log") == 0)
        freopen("data", "w", stderr);
    else if (strcmp(what, "nonblocking") == 0)
        fcntl(2, F_SETFL, O_NONBLOCK);
}

int main(int count, char **arguments) {
    for (int i = 0; i < 7; i++) {
        A64
    }
    sink = malloc(huge);
    to_stderr(count > 1 ? arguments[1] : "");
    puts("done");
    return 3;
}
