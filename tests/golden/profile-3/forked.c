/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ten blocks, of which a child gives back three. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile blocks[10];

int main(void) {
    for (int i = 0; i < 10; i++)
        blocks[i] = malloc(100);
    if (fork() == 0) {
        for (int i = 0; i < 3; i++)
            free(blocks[i]);
        blocks[0] = malloc(7);
        _exit(4);
    }
    wait(NULL);
    return 3;
}
