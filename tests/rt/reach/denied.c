/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// A process whose threads cannot be stopped: ptrace is filtered, by the process itself or by its parent.
#include "../refuse_call.h"
#include "common.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *wait_for_ever(void *unused) {
    for (;;)
        pause();
    return unused;
}

int main(int count, char **arguments) {
    pthread_t thread;
    const char *mode = count > 1 ? arguments[1] : "";
    if (strcmp(mode, "started") != 0 && strcmp(mode, "started two") != 0)
        refuse_call(SYS_ptrace, EPERM);
    if (strncmp(mode, "start ", 6) == 0) {
        execl(arguments[0], arguments[0], strcmp(mode, "start two") ? "started" : "started two", NULL);
        return 1;
    }
    if (strstr(mode, "two"))
        pthread_create(&thread, NULL, wait_for_ever, NULL);
    lose(malloc(10));
    clear_stack();
    puts("done");
    return 3;
}
