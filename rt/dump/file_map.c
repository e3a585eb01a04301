/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regular files in memory. */
#include "file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map_descriptor(int fd, struct file_map *map, struct reason *why) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return reason_set(why, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return reason_set(why, S_ISDIR(status.st_mode) ? "is a directory" : "not a regular file");
    if (status.st_size == 0)
        return reason_set(why, "is empty");
    map->size = (size_t)status.st_size;
    map->bytes = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
    return map->bytes != MAP_FAILED || reason_set(why, "%s", strerror(errno));
}

bool file_map(struct file_map *map, const char *path, struct reason *why) {
    /* O_NONBLOCK: opening a pipe that nobody writes to must not wait. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return reason_set(why, "%s", strerror(errno));
    bool is_mapped = map_descriptor(fd, map, why);
    close(fd);
    return is_mapped;
}

void file_unmap(struct file_map *map) {
    munmap(map->bytes, map->size);
}
