/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that is refused its own process id, from the start or later. */
#include "../refuse_call.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *volatile sink;

int main(int count, char **arguments) {
    refuse_call(SYS_getpid, EPERM);
    if (count > 1)
        execl(arguments[0], arguments[0], (char *)NULL);
    sink = malloc(10); // @ 1 10 0 0 0
    free(sink);
    puts("done");
    return 3;
}
