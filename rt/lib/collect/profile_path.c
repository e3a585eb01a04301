/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Creates the file of a profile next to the files of other processes. */
#define _GNU_SOURCE
#include "lib/collect/profiling.h"

#include "base/path.h"
#include "lib/base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A direct system call: unlike openat(2) of the C library it is no cancellation point. */
int profile_open_at(const char *path, int flags) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                        0600);
}

bool profile_is_at(const char *path) {
    char start[PROFILE_MAGIC_SIZE];
    int fd = profile_open_at(path, O_RDONLY);
    bool is_one = fd >= 0 && syscall(SYS_pread64, fd, start, sizeof start, 0) == (long)sizeof start &&
                  memcmp(start, PROFILE_MAGIC, sizeof start) == 0;
    if (fd >= 0)
        os_close(fd);
    return is_one;
}

bool profile_names_process(const char *pattern) {
    while ((pattern = strchr(pattern, '%'))) {
        if (pattern[1] == 'p')
            return true;
        pattern += pattern[1] ? 2 : 1;
    }
    return false;
}

bool profile_new_name(char *name, const char *path) {
    static uint64_t count;
    uint64_t number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    bool fits = strlen(path) + 5 <= PATH_MAX;
    strcat(strcpy(name, fits ? path : ""), ".new");
    return fits && path_add_number(name, PATH_MAX, (uint64_t)os_process()) &&
           path_add_number(name, PATH_MAX, os_now()) && path_add_number(name, PATH_MAX, number);
}

/* The header is written before the file gets its name, so that a reader who finds the name finds the process.
 * An empty directory follows, so that the file is a valid profile even if the process is killed now. */
bool profile_make(struct new_profile *made, const char *path, const struct profile_header *header,
                  const char **why) {
    bool fits = profile_new_name(made->name, path);
    errno = ENAMETOOLONG;
    made->fd = fits ? profile_open_at(made->name, O_RDWR | O_CREAT | O_EXCL) : -1;
    int error = made->fd < 0 ? errno : os_write_at(made->fd, header, sizeof *header, 0);
    if (!error)
        error = os_allocate(made->fd, PROFILE_PAGE, PROFILE_PAGE);
    if (error)
        *why = strerrordesc_np(error);
    if (error && made->fd >= 0)
        profile_discard(made);
    return !error;
}

void profile_discard(struct new_profile *made) {
    unlink(made->name);
    os_close(made->fd);
}

bool profile_give_name(const char *name, const char *path) {
    if (syscall(SYS_renameat2, AT_FDCWD, name, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    if (link(name, path) == 0) {
        unlink(name);
        return true;
    }
    /* On a file system without links, or in a sandbox, the only protection is a check before the rename,
     * which is a race. */
    struct stat status;
    if (errno != EEXIST && lstat(path, &status) == 0)
        errno = EEXIST;
    return errno != EEXIST && rename(name, path) == 0;
}

enum found { FOUND_STALE, FOUND_IN_USE, FOUND_GONE, FOUND_OTHER };

/* A process of another pid namespace cannot be looked up, so it may run. A copy or a merged profile belongs
 * to no running process. A process that executed another program runs on as that program. */
static bool process_may_run(const struct profile_header *header, const struct profile_header *ours) {
    if ((header->ended && header->ending != PROFILE_EXEC) || header->processes != 1 ||
        header->flags & (PROFILE_IS_COPY | PROFILE_IS_MERGED))
        return false;
    if (!header->start_time || header->pid_namespace != ours->pid_namespace)
        return true;
    return os_start_time(header->pid) == header->start_time;
}

static enum found profile_judge_header(int fd, const struct profile_header *ours, const char **why) {
    struct profile_header header;
    long read = syscall(SYS_pread64, fd, &header, sizeof header, 0);
    if (read == 0)
        return FOUND_STALE;
    if (read < (long)sizeof header || memcmp(header.magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE) != 0) {
        *why = "there is a file that is not a profile";
        return FOUND_OTHER;
    }
    return process_may_run(&header, ours) ? FOUND_IN_USE : FOUND_STALE;
}

static enum found profile_judge(int fd, const struct profile_header *ours, const char **why) {
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        *why = "it is not a regular file";
    else if (status.st_uid != geteuid())
        *why = "there is a file of another user";
    else
        return profile_judge_header(fd, ours, why);
    return FOUND_OTHER;
}

static bool is_same_file(const char *path, int fd) {
    struct stat named, opened;
    return lstat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
}

/* Several processes may find the same stale profile. The process that gets the file lock replaces it. */
static enum found profile_replace(const char *name, const char *path, const struct profile_header *ours,
                                  bool may_replace, const char **why) {
    int fd = profile_open_at(path, O_RDONLY);
    if (fd < 0) {
        *why = errno == ELOOP ? "it is a symbolic link" : strerrordesc_np(errno);
        return errno == ENOENT ? FOUND_GONE : FOUND_OTHER;
    }
    enum found found = profile_judge(fd, ours, why);
    if (found == FOUND_STALE && !may_replace)
        found = FOUND_IN_USE;
    if (found == FOUND_STALE) {
        flock(fd, LOCK_EX);
        if (!is_same_file(path, fd))
            found = FOUND_GONE;
        else if (rename(name, path) != 0) {
            *why = strerrordesc_np(errno);
            found = FOUND_OTHER;
        }
    }
    os_close(fd);
    return found;
}

static bool profile_rename(const char *name, char *path, size_t size, const struct profile_header *ours,
                           bool may_replace, const char **why) {
    size_t length = strlen(path);
    for (uint64_t number = 0; number < PATH_NUMBERS_MOST;) {
        path[length] = '\0';
        if (number && !path_add_number(path, size, number))
            break;
        if (profile_give_name(name, path))
            return true;
        *why = strerrordesc_np(errno);
        enum found found =
            errno == EEXIST ? profile_replace(name, path, ours, may_replace, why) : FOUND_OTHER;
        if (found == FOUND_STALE)
            return true;
        if (found == FOUND_OTHER)
            return false;
        number += found == FOUND_IN_USE;
    }
    *why = "there are too many profiles of that name";
    return false;
}

bool profile_settle(struct new_profile *made, char *path, size_t size, const struct profile_header *ours,
                    bool may_replace, const char **why) {
    if (profile_rename(made->name, path, size, ours, may_replace, why))
        return true;
    profile_discard(made);
    return false;
}
