/* mlockall, for which the kernel would make a page for every address that is mapped: the shadow table alone
 * has terabytes of them. Pages are locked as they are touched instead.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "interpose.h"
#include "next.h"

#include <sys/mman.h>

#ifdef ALLOCSITE_STATIC

extern int __real_mlockall(int);
#define real_mlockall __real_mlockall

#else

static int real_mlockall(int flags) {
    static int (*real)(int);
    if (!real)
        real = (int (*)(int))next_behind("mlockall");
    return real(flags);
}

#endif

INTERPOSE(int, mlockall, int flags) {
    return real_mlockall(runtime_off ? flags : flags | MCL_ONFAULT);
}
