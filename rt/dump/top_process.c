/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The profile that a process writes: among its shared mappings, the file that begins as a profile does. */
#include "top_process.h"

#include "../profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line of /proc/PID/maps. */
struct mapping {
    uint64_t inode;
    char *path; /* within the line */
};

/* "7f00-7f80 rw-s 00000000 08:01 1234   /path": the kernel writes a newline in the path as \012. */
static bool read_mapping(char *line, struct mapping *mapping) {
    char flags[5];
    int path = 0;
    if (sscanf(line, "%*x-%*x %4s %*x %*x:%*x %" SCNu64 " %n", flags, &mapping->inode, &path) != 2 || !path)
        return false;
    mapping->path = line + path;
    char *to = mapping->path;
    for (const char *from = to; *from && *from != '\n'; to++) {
        bool is_newline = strncmp(from, "\\012", 4) == 0;
        *to = is_newline ? '\n' : *from;
        from += is_newline ? 4 : 1;
    }
    *to = '\0';
    return flags[3] == 's' && mapping->path[0] == '/';
}

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

static bool find(FILE *maps, unsigned pid, char path[TOP_PATH_SIZE]) {
    char *line = NULL;
    size_t size = 0;
    bool is_found = false;
    while (!is_found && getline(&line, &size, maps) > 0) {
        struct mapping mapping;
        if (!read_mapping(line, &mapping))
            continue;
        int length = snprintf(path, TOP_PATH_SIZE, "%s", mapping.path);
        is_found = length < TOP_PATH_SIZE && is_profile(path, mapping.inode);
        if (is_found)
            break;
        length = snprintf(path, TOP_PATH_SIZE, "/proc/%u/root%s", pid, mapping.path);
        is_found = length < TOP_PATH_SIZE && is_profile(path, mapping.inode);
    }
    free(line);
    return is_found;
}

bool top_profile_of(unsigned pid, char path[TOP_PATH_SIZE], struct reason *why) {
    char name[32];
    snprintf(name, sizeof name, "/proc/%u/maps", pid);
    FILE *maps = fopen(name, "re");
    if (!maps)
        return reason_set(why, "%s", errno == ENOENT ? "there is no such process" : strerror(errno));
    errno = 0;
    bool is_found = find(maps, pid, path);
    bool is_refused = ferror(maps);
    fclose(maps);
    if (is_found)
        return true;
    if (is_refused)
        return reason_set(why, "its memory map cannot be read");
    return reason_set(why,
                      "was started without profile=PATH in ALLOCSITE_OPTIONS, or its profile was removed");
}
