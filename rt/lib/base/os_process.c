/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the system tells of a process. */
#define _GNU_SOURCE
#include "lib/base/os_process.h"

#include "lib/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void argument_path(char *path, size_t size) {
    const char *executed = (const char *)getauxval(AT_EXECFN);
    executed = executed ? executed : "?";
    if (*executed == '/' || !getcwd(path, size - 1))
        *path = '\0';
    else
        strcat(path, "/");
    strncat(path, executed, size - 1 - strlen(path));
}

void os_program_path(char *path, size_t size, bool as_argument) {
    ssize_t n = as_argument ? 0 : readlink("/proc/self/exe", path, size - 1);
    if (n > 0)
        path[n] = '\0';
    else
        argument_path(path, size);
}

int32_t os_process(void) {
    return (int32_t)syscall(SYS_getpid);
}

int32_t os_thread(void) {
    return (int32_t)syscall(SYS_gettid);
}

bool os_thread_exists(int32_t thread) {
    return syscall(SYS_tgkill, os_process(), thread, 0) == 0 || errno != ESRCH;
}

void os_host_name(char *name, size_t size) {
    struct utsname host;
    const char *node = uname(&host) == 0 ? host.nodename : "localhost";
    *name = '\0';
    strncat(name, node, size - 1);
}

/* The 22nd field of proc(5)'s stat; the second one, a name in parentheses, may hold anything. */
static uint64_t parse_start_time(const char *text) {
    const char *at = strrchr(text, ')');
    uint64_t number = 0;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return number;
}

uint64_t os_start_time(uint64_t pid) {
    char path[40] = "/proc/", digits[24], *at = digits + sizeof digits, text[1024];
    *--at = '\0';
    do
        *--at = (char)('0' + pid % 10);
    while (pid /= 10);
    strcat(strcat(path, at), "/stat");
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long read = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[read > 0 ? read : 0] = '\0';
    return parse_start_time(text);
}

uint64_t os_pid_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/* The kernel has a link for each. */
uint32_t os_threads(void) {
    struct stat status;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink > 2 ? (uint32_t)status.st_nlink - 2 : 0;
}

uint64_t os_resident(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

void os_command(char *text, size_t size) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    long read = fd < 0 ? 0 : syscall(SYS_read, fd, text, size - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    text[read > 0 ? read : 0] = '\0';
    for (long i = 0; i < read - 1; i++)
        if (!text[i])
            text[i] = ' ';
}

#define TICK 10000000 /* nanoseconds of the kernel's USER_HZ */

uint64_t os_started(void) {
    uint64_t ticks = os_start_time((uint64_t)os_process());
    struct timespec since;
    clock_gettime(CLOCK_BOOTTIME, &since);
    uint64_t age = (uint64_t)since.tv_sec * 1000000000 + (uint64_t)since.tv_nsec;
    return ticks ? os_now() - age + ticks * TICK : 0;
}
