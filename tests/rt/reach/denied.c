/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A process whose threads nobody may stop: ptrace is filtered.
#include "../refuse_call.h"
#include "common.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *wait_for_ever(void *unused) {
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    (void)argv;
    refuse_call(SYS_ptrace, EPERM);
    if (argc > 1)
        pthread_create(&thread, NULL, wait_for_ever, NULL);
    lose(malloc(10));
    clear_stack();
    puts("done");
    return 3;
}
