/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A file that takes its place only when it is whole. */
#include "new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Renaming would replace the link, or the device, and not write to what it stands for. */
static bool check_place(const char *path, struct reason *why) {
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT || reason_set(why, "%s", strerror(errno));
    if (S_ISLNK(status.st_mode))
        return reason_set(why, "is a symbolic link, which is not followed");
    return S_ISREG(status.st_mode) ||
           reason_set(why, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
}

bool new_file_open(struct new_file *file, const char *path, struct reason *why) {
    if (!check_place(path, why))
        return false;
    file->path = path;
    if (asprintf(&file->temporary, "%s.XXXXXX", path) < 0)
        return reason_set(why, "out of memory");
    file->fd = mkostemp(file->temporary, O_CLOEXEC);
    if (file->fd >= 0)
        return true;
    reason_set(why, "%s", strerror(errno));
    free(file->temporary);
    return false;
}

bool new_file_end(struct new_file *file, int error, struct reason *why) {
    /* Some file systems tell only now that there was no room. */
    if (close(file->fd) != 0 && !error)
        error = errno;
    if (!error && rename(file->temporary, file->path) != 0)
        error = errno;
    if (error)
        unlink(file->temporary);
    free(file->temporary);
    return !error || reason_set(why, "%s", strerror(error));
}
