/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A process that is refused the time, as in a sandbox on a machine whose clock needs a system call. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *volatile sink;

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    memset(time, sink ? 0x5a : 0x3a, sizeof *time);
    errno = EPERM;
    return -1;
}

int main(void) {
    for (int i = 0; i < 10; i++) {
        sink = malloc(10);
        free(sink);
    }
    sink = NULL;
    return 0;
}
