/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Allocates through functions that the program's own malloc exports and through some that it does not: user
 * ROUNDS. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static char *volatile sink;

static char *hidden(void *p) {
    return sink = p;
}

int main(int argc, char **argv) {
    (void)argc;
    for (int i = 0; i < atoi(argv[1]); i++) {
        void *p = NULL;
        char *text;
        free(hidden(malloc(20)));         // @ 10 200 0 0 0
        free(hidden(calloc(3, 10)));      // @ 10 300 0 0 0
        p = hidden(malloc(50));           // @ 10 500 0 0 0
        free(hidden(realloc(p, 500)));    // @ 0 0 10 5000 0
        free(hidden(strdup("hello")));    // @ 10 60 0 0 0
        free(hidden(wcsdup(L"hello")));   // @ 10 240 0 0 0
        if (asprintf(&text, "%d", i) < 0) // @ any
            return 1;
        free(hidden(text));
    }
    return write(1, "done\n", 5) == 5 ? 3 : 1;
}
