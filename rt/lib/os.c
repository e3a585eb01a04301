/* The runtime's operating-system calls.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#define _GNU_SOURCE
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool wipe_failed;

void *os_map(size_t size, enum os_fork fork) {
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    /* A huge page would make each thread's few touched counters cost 2 MiB. */
    madvise(memory, size, MADV_NOHUGEPAGE);
    if (fork == OS_FORK_WIPES && madvise(memory, size, MADV_WIPEONFORK) != 0)
        __atomic_store_n(&wipe_failed, true, __ATOMIC_RELAXED);
    return memory;
}

void os_unmap(void *memory, size_t size) {
    munmap(memory, size);
}

bool os_fork_wipes(void) {
    return !__atomic_load_n(&wipe_failed, __ATOMIC_RELAXED);
}

static size_t append(char *line, size_t used, size_t size, const char *part) {
    size_t n = strnlen(part, size - used);
    memcpy(line + used, part, n);
    return used + n;
}

void os_say_parts(const char *const *parts) {
    char line[1024];
    size_t room = sizeof line - 1;
    size_t used = append(line, 0, room, "allocsite: ");
    for (; *parts; parts++)
        used = append(line, used, room, *parts);
    line[used++] = '\n';
    ssize_t written;
    do
        written = write(STDERR_FILENO, line, used);
    while (written < 0 && errno == EINTR);
}

void os_program_path(char *path, size_t size) {
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n > 0) {
        path[n] = '\0';
        return;
    }
    const char *executed = (const char *)getauxval(AT_EXECFN);
    path[append(path, 0, size - 1, executed ? executed : "?")] = '\0';
}

void os_host_name(char *name, size_t size) {
    struct utsname host;
    const char *node = uname(&host) == 0 ? host.nodename : "localhost";
    name[append(name, 0, size - 1, node)] = '\0';
}

int os_create(const char *path) {
    return open(path, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
}

int os_keep(int fd) {
    /* Programs that look for free descriptors start from below. */
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 200);
    return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}
