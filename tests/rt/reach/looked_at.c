/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The runtime searches for reachable blocks while the program runs, in a call or in its signal handler. Finished calls
// have left addresses of blocks in the stack below, which keep nothing reachable.
#include "common.h"

#include <allocsite.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAKS = 512 };

NOINLINE static void leak_from_array(void) {
    void *volatile dead[4096];
    for (int i = 0; i < 4096; i++)
        dead[i] = NULL;
    for (int i = 0; i < LEAKS; i++)
        dead[i * 8 + i % 8] = malloc(24); // @ lost 512 12288
}

// Each frame, and each caller's frame, has the only pointer to a block.
NOINLINE static void look(int depth, int is_signal) {
    void *volatile alive = malloc(60);
    if (depth) {
        look(depth - 1, is_signal);
        lose(alive);
        return;
    }
    leak_from_array();
    if (is_signal)
        raise(SIGUSR2);
    else if (allocsite_graph("looked_at.graph") != 0)
        puts("no graph");
    lose(alive);
}

int main(int count, char **arguments) {
    (void)arguments;
    look(5, count > 1);
    puts("done");
    return 3;
}
