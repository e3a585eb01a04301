/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A copy of a process that stands still. */
#include "dump/stop/copy.h"

#include "dump/process/process.h"
#include "dump/stop/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/wait.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The process may be on its way through what cannot be interrupted. */
enum { TRIES = 50, PAUSE = 2000000 };

static int await(int pid) {
    int status = 0;
    while (syscall(SYS_wait4, pid, &status, __WALL, NULL) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

/* Where memory is short it goes before anything else does. */
static void offer(unsigned pid) {
    char path[40];
    snprintf(path, sizeof path, "/proc/%u/oom_score_adj", pid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "1000", 4) < 0)
        errno = 0;
    if (fd >= 0)
        close(fd);
}

/* It shares open files, so that what the process closes is closed. */
bool process_copy_make(struct process_copy *copy, const struct stop *stop, struct remote_memory *memory,
                       struct reason *why) {
    struct injection injection;
    sigset_t all;
    sigfillset(&all);
    *copy = (struct process_copy){.pid = 0};
    if (!injection_begin(&injection, stop, memory, why))
        return false;
    sigprocmask(SIG_BLOCK, &all, &copy->mask);
    long made = injection_call(&injection, (const uint64_t[]){SYS_clone, CLONE_FILES, 0, 0, 0});
    if (injection.copy) {
        await(injection.copy);
        ptrace(PTRACE_SETOPTIONS, injection.copy, NULL, (void *)PTRACE_O_EXITKILL);
        offer((unsigned)injection.copy);
    }
    injection_end(&injection, stop);
    copy->pid = (unsigned)injection.copy;
    copy->own = (uint64_t)made;
    if (copy->pid)
        return true;
    sigprocmask(SIG_SETMASK, &copy->mask, NULL);
    return reason_set(why, "%s", strerror(made < 0 ? (int)-made : EPERM));
}

/* True: there is nothing left to forget. */
static bool forget(struct process_copy *copy, struct remote_memory *memory) {
    struct timespec from, to;
    struct injection injection;
    struct reason unimportant;
    struct stop stop;
    clock_gettime(CLOCK_MONOTONIC, &from);
    bool is_stopped = stop_threads(&stop, memory->pid, &unimportant);
    bool is_done = !is_stopped && !process_thread_runs(memory->pid);
    if (is_stopped && injection_begin(&injection, &stop, memory, &unimportant)) {
        long gone =
            injection_call(&injection, (const uint64_t[]){SYS_wait4, copy->own, 0, WNOHANG | __WALL, 0});
        is_done = gone == (long)copy->own || gone == -ECHILD;
        injection_end(&injection, &stop);
    }
    if (is_stopped)
        stop_let_go(&stop);
    stop_free(&stop);
    clock_gettime(CLOCK_MONOTONIC, &to);
    copy->stopped += (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 + to.tv_nsec - from.tv_nsec);
    return is_done;
}

bool process_copy_end(struct process_copy *copy, struct remote_memory *memory) {
    bool is_done = false;
    kill((pid_t)copy->pid, SIGKILL);
    for (int status = await((int)copy->pid); status && (status & 0xff) == 0x7f;)
        status = await((int)copy->pid);
    for (int i = 0; !is_done && i < TRIES; i++) {
        if (i)
            nanosleep(&(struct timespec){0, PAUSE}, NULL);
        is_done = forget(copy, memory);
    }
    sigprocmask(SIG_SETMASK, &copy->mask, NULL);
    return is_done;
}
