/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a process writes: among its shared mappings, the file that begins as a profile does. */
#include "process_profile.h"
#include "process_maps.h"

#include "../profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path may name another file by now, or in the process's view of the file system. */
static bool is_profile(const char *path, uint64_t inode) {
    char magic[PROFILE_MAGIC_SIZE];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_ino != inode)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is_one = pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                  memcmp(magic, PROFILE_MAGIC, sizeof magic) == 0;
    close(fd);
    return is_one;
}

static bool find(struct process_maps *maps, unsigned pid, char path[PROCESS_PATH_SIZE]) {
    for (struct process_mapping mapping; process_maps_next(maps, &mapping);) {
        if (mapping.flags[3] != 's' || mapping.path[0] != '/')
            continue;
        int length = snprintf(path, PROCESS_PATH_SIZE, "%s", mapping.path);
        if (length < PROCESS_PATH_SIZE && is_profile(path, mapping.inode))
            return true;
        length = snprintf(path, PROCESS_PATH_SIZE, "/proc/%u/root%s", pid, mapping.path);
        if (length < PROCESS_PATH_SIZE && is_profile(path, mapping.inode))
            return true;
    }
    return false;
}

bool process_profile(unsigned pid, char path[PROCESS_PATH_SIZE]) {
    struct process_maps maps;
    struct reason unimportant;
    if (!process_maps_open(&maps, pid, &unimportant))
        return false;
    bool is_found = find(&maps, pid, path);
    process_maps_close(&maps);
    return is_found;
}
