/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The runtime's files, and facts about a process. */
#define _GNU_SOURCE
#include "lib/base/os.h"

#include "base/words.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- The runtime's files. */

void os_close(int fd) {
    int error = errno;
    syscall(SYS_close, fd);
    errno = error;
}

long os_read_file(const char *path, char *bytes, size_t size) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    long read = 0, part = fd < 0 ? -1 : 1;
    while (part > 0 && (size_t)read < size) {
        part = syscall(SYS_read, fd, bytes + read, size - (size_t)read);
        read += part > 0 ? part : 0;
    }
    int error = errno;
    if (fd >= 0)
        os_close(fd);
    errno = error;
    return part < 0 ? -1 : read;
}

int os_keep(int fd) {
    /* Programs that search for free descriptors start from low numbers. */
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 200);
    return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int os_memory_file(void) {
    return (int)syscall(SYS_memfd_create, "allocsite", MFD_CLOEXEC);
}

static bool is_file(const struct os_file *file, int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode;
}

void os_file_note(struct os_file *file, int fd) {
    struct stat status = {0};
    int kept = os_keep(fd);
    fstat(fd, &status);
    *file = (struct os_file){kept >= 0 ? kept : fd, status.st_dev, status.st_ino};
    if (kept >= 0)
        syscall(SYS_close, fd);
}

bool os_file_is_open(const struct os_file *file) {
    return file->fd >= 0 && is_file(file, file->fd);
}

bool os_file_is_removed(const struct os_file *file) {
    struct stat status;
    return os_file_is_open(file) && fstat(file->fd, &status) == 0 && status.st_nlink == 0;
}

bool os_file_reopen(struct os_file *file, const char *path) {
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return false;
    if (!is_file(file, fd)) {
        syscall(SYS_close, fd);
        errno = ENOENT;
        return false;
    }
    os_file_note(file, fd);
    return true;
}

void os_file_close(struct os_file *file) {
    if (os_file_is_open(file))
        syscall(SYS_close, file->fd);
    file->fd = -1;
}

static struct os_file standard[3];
static bool is_standard_noted;

void os_note_standard(void) {
    struct stat status;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (fstat(fd, &status) == 0)
            standard[fd] = (struct os_file){fd, status.st_dev, status.st_ino};
    is_standard_noted = true;
}

/* A write-only file or a character device such as a terminal is meant for output. */
bool os_may_write(int fd) {
    struct stat status;
    if (!is_standard_noted || fd > STDERR_FILENO || is_file(&standard[fd], fd) || fstat(fd, &status) != 0)
        return true;
    return S_ISCHR(status.st_mode) || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
}

/* offset: NULL for the current position. */
static int write_all(int fd, const char *bytes, size_t size, const uint64_t *offset) {
    struct os_writing before;
    int error = 0;
    os_writing_begin(&before);
    for (size_t done = 0; done < size && !error;) {
        long n = offset ? syscall(SYS_pwrite64, fd, bytes + done, size - done, *offset + done)
                        : syscall(SYS_write, fd, bytes + done, size - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            error = n == 0 ? ENOSPC : errno;
    }
    os_writing_end(&before);
    return error;
}

int os_write(int fd, const void *bytes, size_t size) {
    return write_all(fd, bytes, size, NULL);
}

int os_write_at(int fd, const void *bytes, size_t size, uint64_t offset) {
    return write_all(fd, bytes, size, &offset);
}

/* For file systems that can allocate only by writing. */
static int write_zeros(int fd, uint64_t offset, size_t size) {
    static const char zeros[512];
    int error = 0;
    for (size_t done = 0; done < size && !error; done += sizeof zeros)
        error =
            os_write_at(fd, zeros, size - done < sizeof zeros ? size - done : sizeof zeros, offset + done);
    return error;
}

/* Returns 0 or an errno. */
static int fallocate_whole(int fd, uint64_t offset, size_t size) {
    struct os_writing before;
    long failed;
    os_writing_begin(&before);
    do
        failed = syscall(SYS_fallocate, fd, 0, offset, size);
    while (failed && errno == EINTR);
    int error = failed ? errno : 0;
    os_writing_end(&before);
    return error;
}

int os_allocate(int fd, uint64_t offset, size_t size) {
    int error = fallocate_whole(fd, offset, size);
    return error == EOPNOTSUPP || error == ENOSYS ? write_zeros(fd, offset, size) : error;
}

#define MEMORY_STEP ((uint64_t)1 << 20)

/* Not by ftruncate: with two threads one might shrink the file again. */
int os_memory_reach(int fd, uint64_t end) {
    const size_t page = 4096;
    return fallocate_whole(fd, ((end + MEMORY_STEP - 1) & -MEMORY_STEP) - page, page);
}

bool os_map_file(void *address, size_t size, int fd, uint64_t offset) {
    return os_mmap(address, size, MAP_SHARED | MAP_FIXED, fd, offset) != MAP_FAILED;
}

/* ---- Facts about a process. /proc/self is nearly empty if the first thread has ended. Under valgrind
 * /proc/thread-self describes valgrind. */

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
    if (n < 0)
        n = readlink("/proc/thread-self/exe", path, size - 1);
    if (n > 0)
        path[n] = '\0';
    else
        argument_path(path, size);
}

/* Returns 0 if it is unknown. */
static int32_t process_by_proc(void) {
    char text[16];
    ssize_t length = readlink("/proc/self", text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    return (int32_t)digits_read(text);
}

int32_t os_process(void) {
    long number = syscall(SYS_getpid);
    return number > 0 ? (int32_t)number : process_by_proc();
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

/* The 22nd field of /proc/PID/stat (proc(5)). The second field, in parentheses, may contain any
 * characters. */
static uint64_t parse_start_time(const char *text) {
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? digits_read(at + 1) : 0;
}

uint64_t os_start_time(uint64_t pid) {
    char path[40] = "/proc/", digits[24] = "", text[1024];
    strcat(strcat(path, digits_before(digits + sizeof digits - 1, pid, 10)), "/stat");
    long read = os_read_file(path, text, sizeof text - 1);
    text[read > 0 ? read : 0] = '\0';
    return parse_start_time(text);
}

uint64_t os_pid_namespace(void) {
    struct stat status;
    return stat("/proc/thread-self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/* Each thread is a link of the directory. */
uint32_t os_threads(void) {
    struct stat status;
    return stat("/proc/self/task", &status) == 0 && status.st_nlink > 2 ? (uint32_t)status.st_nlink - 2 : 0;
}

uint64_t os_resident(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

void os_command(char *text, size_t size) {
    long read = os_read_file("/proc/thread-self/cmdline", text, size - 1);
    text[read > 0 ? read : 0] = '\0';
    for (long i = 0; i < read - 1; i++)
        if (!text[i])
            text[i] = ' ';
}
