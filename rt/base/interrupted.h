/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Restarts system calls of a thread that was stopped, so that the program does not notice the stop. */
#ifndef ALLOCSITE_BASE_INTERRUPTED_H
#define ALLOCSITE_BASE_INTERRUPTED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/user.h>

/* signal(7) lists these calls: they fail with EINTR after a stop, even without a signal handler (receiving
 * only if the socket has a timeout). A call that failed this way had no effect, so it can be repeated. */
static inline bool interrupted_can_begin_again(long call) {
    static const long calls[] = {
        SYS_epoll_wait,   SYS_epoll_pwait, SYS_epoll_pwait2, SYS_semop,   SYS_semtimedop, SYS_rt_sigtimedwait,
        SYS_io_getevents, SYS_read,        SYS_recvfrom,     SYS_recvmsg, SYS_accept,     SYS_accept4,
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i] == call)
            return true;
    return false;
}

/* Changes the registers of a stopped thread so that such a call restarts unless a handler runs. Returns
 * whether the registers were changed and must be written back. A timeout also starts again. */
static inline bool interrupted_hide(struct user_regs_struct *registers) {
    /* ERESTARTNOHAND in the kernel's include/linux/errno.h, visible only to tracers. */
    enum { BEGIN_AGAIN = 514 };
    bool is_to_hide =
        (long)registers->rax == -EINTR && interrupted_can_begin_again((long)registers->orig_rax);
    if (is_to_hide)
        registers->rax = (unsigned long long)-BEGIN_AGAIN;
    return is_to_hide;
}

#endif
