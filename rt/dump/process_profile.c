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

static bool read_header(const char *path, struct profile_header *header) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is_profile = pread(fd, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
                      memcmp(header->magic, PROFILE_MAGIC, sizeof header->magic) == 0;
    close(fd);
    return is_profile;
}

/* The path may name another file by now, or in the process's view of the file system. */
static bool is_profile(const char *path, uint64_t inode, struct profile_header *header) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == inode &&
           read_header(path, header);
}

static bool find(struct process_maps *maps, unsigned pid, char path[PROCESS_PATH_SIZE],
                 struct profile_header *header) {
    for (struct process_mapping mapping; process_maps_next(maps, &mapping);) {
        if (mapping.flags[3] != 's' || mapping.path[0] != '/')
            continue;
        int length = snprintf(path, PROCESS_PATH_SIZE, "%s", mapping.path);
        if (length < PROCESS_PATH_SIZE && is_profile(path, mapping.inode, header))
            return true;
        length = snprintf(path, PROCESS_PATH_SIZE, "/proc/%u/root%s", pid, mapping.path);
        if (length < PROCESS_PATH_SIZE && is_profile(path, mapping.inode, header))
            return true;
    }
    return false;
}

static bool find_profile(unsigned pid, char path[PROCESS_PATH_SIZE], struct profile_header *header) {
    struct process_maps maps;
    struct reason unimportant;
    if (!process_maps_open(&maps, pid, &unimportant))
        return false;
    bool is_found = find(&maps, pid, path, header);
    process_maps_close(&maps);
    return is_found;
}

bool process_profile(unsigned pid, char path[PROCESS_PATH_SIZE]) {
    struct profile_header unimportant;
    return find_profile(pid, path, &unimportant);
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* By the name without folders, which may be others in the process's view of the file system. The kernel adds
 * a word to that of an executable that was replaced. */
static bool runs_another(unsigned pid, const char *program) {
    static const char deleted[] = " (deleted)";
    char link[32], path[PROCESS_PATH_SIZE];
    snprintf(link, sizeof link, "/proc/%u/exe", pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    const char *was = file_name(program), *is = file_name(path);
    size_t same = strlen(was);
    return strncmp(was, is, same) != 0 || (is[same] && strcmp(is + same, deleted) != 0);
}

bool process_has_executed(unsigned pid, const char *program, uint64_t begun) {
    char path[PROCESS_PATH_SIZE];
    struct profile_header header;
    return find_profile(pid, path, &header) ? header.begun != begun : runs_another(pid, program);
}
