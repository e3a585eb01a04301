/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: kills the process as soon as its profile exists. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

static long call(long number, long a, long b, long c, long d, long e, long f) {
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    return number;
}

long syscall(long number, long a, long b, long c, long d, long e, long f) {
    long result = call(number, a, b, c, d, e, f);
    if (number == SYS_renameat2 && result == 0)
        call(SYS_kill, call(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}
