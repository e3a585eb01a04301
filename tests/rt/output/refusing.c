/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded: one system call of the runtime fails. The file refuse_at has its number and the errno. Then a file
 * `refused` is created, whose size is the number of the system call. This code runs before the C library is
 * initialized, so it depends on nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

static long call(long number, long a, long b, long c, long d, long e, long f) {
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static uintptr_t from, end;
static long at, with, count;

static int find(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!object->dlpi_name || !strstr(object->dlpi_name, "liballocsite"))
        return 0;
    from = object->dlpi_addr;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD)
            end = from + object->dlpi_phdr[i].p_vaddr + object->dlpi_phdr[i].p_memsz;
    return 1;
}

static void begin(void) {
    char text[32] = "";
    long fd = call(SYS_openat, AT_FDCWD, (long)"refuse_at", O_RDONLY, 0, 0, 0);
    if (fd >= 0)
        call(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    call(SYS_close, fd, 0, 0, 0, 0, 0);
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        at = 10 * at + *digit - '0';
    for (digit++; *digit >= '0' && *digit <= '9'; digit++)
        with = 10 * with + *digit - '0';
    dl_iterate_phdr(find, NULL);
}

/* System calls that never fail do not fail here. */
static bool is_refused(uintptr_t caller, long number) {
    static const long never[] = {SYS_getpid,        SYS_gettid,         SYS_sched_yield,     SYS_exit_group,
                                 SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigtimedwait, SYS_close};
    if (!end)
        begin();
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (number == never[i])
            return false;
    if (caller < from || caller >= end || ++count != at)
        return false;
    long fd = call(SYS_openat, AT_FDCWD, (long)"refused", O_CREAT | O_WRONLY, 0600, 0, 0);
    call(SYS_ftruncate, fd, number, 0, 0, 0, 0);
    call(SYS_close, fd, 0, 0, 0, 0, 0);
    return true;
}

static long make(uintptr_t caller, long number, long a, long b, long c, long d, long e, long f) {
    long result = is_refused(caller, number) ? -with : call(number, a, b, c, d, e, f);
    if ((unsigned long)result < -4095UL)
        return result;
    errno = (int)-result;
    return -1;
}

#define MAKE(...) MAKE_(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define MAKE_(number, a, b, c, d, e, f, ...)                                                                 \
    make((uintptr_t)__builtin_return_address(0), number, (long)(a), (long)(b), (long)(c), (long)(d),         \
         (long)(e), (long)(f))

long syscall(long number, ...) {
    long is[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        is[i] = va_arg(arguments, long);
    va_end(arguments);
    return MAKE(number, is[0], is[1], is[2], is[3], is[4], is[5]);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    return (void *)MAKE(SYS_mmap, address, size, protection, flags, fd, offset);
}

int madvise(void *address, size_t size, int advice) {
    return (int)MAKE(SYS_madvise, address, size, advice);
}

int fstat(int fd, struct stat *status) {
    return (int)MAKE(SYS_fstat, fd, status);
}

int lstat(const char *path, struct stat *status) {
    return (int)MAKE(SYS_lstat, path, status);
}

int stat(const char *path, struct stat *status) {
    return (int)MAKE(SYS_stat, path, status);
}

int ftruncate(int fd, off_t size) {
    return (int)MAKE(SYS_ftruncate, fd, size);
}

int rename(const char *old, const char *new) {
    return (int)MAKE(SYS_rename, old, new);
}

int fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return (int)MAKE(SYS_fcntl, fd, command, argument);
}

ssize_t readlink(const char *path, char *to, size_t size) {
    return MAKE(SYS_readlink, path, to, size);
}

char *getcwd(char *path, size_t size) {
    return MAKE(SYS_getcwd, path, size) < 0 ? NULL : path;
}

int uname(struct utsname *name) {
    return (int)MAKE(SYS_uname, name);
}

int mprotect(void *address, size_t size, int protection) {
    return (int)MAKE(SYS_mprotect, address, size, protection);
}

int munmap(void *address, size_t size) {
    return (int)MAKE(SYS_munmap, address, size);
}

int prctl(int what, ...) {
    va_list arguments;
    va_start(arguments, what);
    long argument = va_arg(arguments, long);
    va_end(arguments);
    return (int)MAKE(SYS_prctl, what, argument);
}

int ioctl(int fd, unsigned long what, ...) {
    va_list arguments;
    va_start(arguments, what);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return (int)MAKE(SYS_ioctl, fd, what, argument);
}

int flock(int fd, int how) {
    return (int)MAKE(SYS_flock, fd, how);
}

int link(const char *old, const char *new) {
    return (int)MAKE(SYS_link, old, new);
}

int unlink(const char *path) {
    return (int)MAKE(SYS_unlink, path);
}

off_t lseek(int fd, off_t offset, int from_what) {
    return MAKE(SYS_lseek, fd, offset, from_what);
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit) {
    return (int)MAKE(SYS_getrlimit, which, limit);
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
    return (int)MAKE(SYS_getrusage, who, usage);
}

/* The C library's structure has an additional word for the kernel. */
extern int __sigaction(int number, const struct sigaction *action, struct sigaction *before);

int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    if (!is_refused((uintptr_t)__builtin_return_address(0), SYS_rt_sigaction))
        return __sigaction(number, action, before);
    errno = (int)with;
    return -1;
}
