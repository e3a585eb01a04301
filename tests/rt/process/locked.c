/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locks its memory before and after it has allocated. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static long resident_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

int main(void) {
    char *volatile first = malloc(100); // @ 1 100 0 0 0
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        return errno == EPERM || errno == ENOMEM ? 77 : 1;
    char *volatile second = malloc(200000); // @ 1 200000 0 0 0
    memset(second, 1, 200000);
    if (resident_mib() > 32)
        return 2;
    free(second);
    free(first);
    puts("done");
    return 3;
}
