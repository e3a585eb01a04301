/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* limited COUNT SIZE: allocates COUNT blocks and prints how many succeeded. */
#include <stdio.h>
#include <stdlib.h>

static void *volatile sink;

int main(int count, char **arguments) {
    int wanted = count > 2 ? atoi(arguments[1]) : 0, got = 0;
    for (int i = 0; i < wanted; i++) {
        sink = malloc(strtoul(arguments[2], NULL, 10));
        got += sink != NULL;
    }
    printf("%d\n", got);
    return 3;
}
