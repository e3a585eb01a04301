/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: prints at the end how often the process requested a barrier in all its threads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>

static unsigned long barriers;

long syscall(long number, ...) {
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_membarrier)
        __atomic_fetch_add(&barriers, 1, __ATOMIC_RELAXED);
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

__attribute__((destructor)) static void say(void) {
    dprintf(2, "%lu\n", barriers);
}
