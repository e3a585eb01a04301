/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "lib/hook/fail_fork.h"

#include "base/words.h"
#include "lib/base/local.h"
#include "lib/base/os.h"
#include "lib/count/tally.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 64, FOLDER_SIZE = 512, SECOND = 1000000000, LOWEST_DESCRIPTOR = 200, DESCRIPTORS = 128 };

static uint64_t jobs, limit; /* limit: nanoseconds */
static char folder[FOLDER_SIZE];

/* Running children. */
static struct pollfd ends[CHILDREN];
static struct child {
    int32_t pid;
    uint64_t until;
} children[CHILDREN];
static uint32_t running;

static bool take_field(const char **at, uint64_t *number) {
    return !amount_read(at, false, number) && *(*at)++ == ':';
}

bool fail_fork_begin(const char *option, bool *per_site) {
    const char *at = option;
    uint64_t site;
    if (!take_field(&at, &jobs) || !take_field(&at, &limit) || !take_field(&at, &site) || !jobs ||
        strlen(at) >= sizeof folder)
        return false;
    *per_site = site;
    jobs = jobs < CHILDREN ? jobs : CHILDREN;
    limit *= SECOND;
    strcpy(folder, at);
    return true;
}

/* ---- In the child. */

/* The path of the child's file for a descriptor. */
static void name_file(char *path, int fd) {
    char digits[24] = "", *number = digits_before(digits + sizeof digits - 1, (uint64_t)getpid(), 10);
    char end[3] = {'.', (char)('0' + fd), '\0'};
    strcpy(path, folder);
    strcat(strcat(strcat(path, "/."), number), end);
}

/* The offsets of open files before the fork: afterwards both processes move them. -1: it is no file. */
static off_t offsets[DESCRIPTORS];

static void offsets_note(void) {
    for (int fd = 0; fd < DESCRIPTORS; fd++) {
        struct stat status;
        bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
        offsets[fd] = is_file ? lseek(fd, 0, SEEK_CUR) : -1;
    }
}

static void redirect_output(int fd) {
    char path[FOLDER_SIZE + 40];
    name_file(path, fd);
    int to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    off_t end = offsets[fd], at = 0;
    while (to >= 0 && at < end && sendfile(to, fd, &at, (size_t)(end - at)) > 0)
        continue;
    if (to >= 0) {
        dup2(to, fd);
        close(to);
    }
}

/* Gives the child a separate file offset in a file that the program reads. */
static void reopen_file(int fd) {
    char path[40] = "/proc/self/fd/", digits[24] = "";
    int flags = fcntl(fd, F_GETFD);
    if (offsets[fd] < 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
        return;
    strcat(path, digits_before(digits + sizeof digits - 1, (uint64_t)fd, 10));
    int reopened = open(path, O_RDONLY | O_CLOEXEC);
    if (reopened < 0)
        return;
    lseek(reopened, offsets[fd], SEEK_SET);
    dup3(reopened, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    close(reopened);
}

/* Programs that the child executes must not fork again. */
static void remove_option(void) {
    char *options = getenv("ALLOCSITE_OPTIONS"), *begin = options ? strstr(options, "fail='fork:") : NULL;
    char *end = begin ? strchr(begin + strlen("fail='"), '\'') : NULL;
    if (end)
        memset(begin, ':', (size_t)(end + 1 - begin));
}

static void child_begin(int end) {
    for (uint32_t i = 0; i < running; i++)
        close(ends[i].fd);
    fcntl(end, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR);
    close(end);
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        reopen_file(fd);
    redirect_output(STDOUT_FILENO);
    redirect_output(STDERR_FILENO);
    remove_option();
}

/* ---- In the parent. */

static void child_remove(uint32_t i) {
    close(ends[i].fd);
    running--;
    ends[i] = ends[running];
    children[i] = children[running];
}

/* Returns milliseconds until the first child must end. Kills those that must have ended. */
static int kill_late(void) {
    uint64_t now = os_monotonic(), first = now + SECOND;
    for (uint32_t i = 0; i < running; i++)
        if (children[i].until <= now)
            kill(children[i].pid, SIGKILL);
        else if (children[i].until < first)
            first = children[i].until;
    return (int)((first - now) / 1000000) + 1;
}

static void wait_for_one(void) {
    for (uint32_t before = running; running == before;) {
        if (poll(ends, running, kill_late()) <= 0)
            continue;
        for (uint32_t i = running; i-- > 0;)
            if (ends[i].revents)
                child_remove(i);
    }
}

/* The intermediate process ends without running exit handlers. Takes its SIGCHLD away from the program. */
static void end_between(pid_t between, bool was_pending) {
    const struct timespec none = {0};
    sigset_t child;
    while (syscall(SYS_wait4, between, NULL, __WALL, NULL) < 0 && errno == EINTR)
        continue;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (!was_pending)
        sigtimedwait(&child, NULL, &none);
}

static bool is_child_pending(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGCHLD) == 1;
}

/* Returns whether this is the child. Signals are blocked. */
static bool fork_twice(int pipe_ends[2]) {
    bool was_pending = is_child_pending();
    pid_t between = fork(), last;
    if (between == 0) {
        last = fork();
        if (last == 0)
            return true;
        if (last > 0)
            write(pipe_ends[1], &last, sizeof last);
        syscall(SYS_exit_group, 0);
    }
    close(pipe_ends[1]);
    if (between > 0)
        end_between(between, was_pending);
    if (between > 0 && read(pipe_ends[0], &last, sizeof last) == sizeof last) {
        children[running] = (struct child){last, os_monotonic() + limit};
        ends[running++] = (struct pollfd){.fd = pipe_ends[0], .events = POLLIN};
    } else {
        close(pipe_ends[0]);
    }
    return false;
}

static bool fork_once(void) {
    int pipe_ends[2], high;
    while (running >= jobs)
        wait_for_one();
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return false;
    if ((high = fcntl(pipe_ends[0], F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR)) >= 0) {
        close(pipe_ends[0]);
        pipe_ends[0] = high;
    }
    offsets_note();
    if (!fork_twice(pipe_ends)) {
        while (jobs == 1 && running)
            wait_for_one();
        return false;
    }
    close(pipe_ends[0]);
    child_begin(pipe_ends[1]);
    return true;
}

bool fail_fork(void) {
    if (threads_several)
        return false;
    int error = errno;
    uint64_t signals = os_signals_hold();
    bool was_silent = silence_begin(), is_child = fork_once();
    silence_end(was_silent);
    os_signals_release(signals);
    errno = error;
    return is_child;
}
