/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All bytes of a file or pipe. */
#include "whole_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool grow(char **bytes, size_t *room, struct reason *why) {
    if (*room >= WHOLE_INPUT_MAX)
        return reason_set(why, "is larger than 1 GiB");
    char *larger = realloc(*bytes, *room ? *room * 2 : 1 << 16);
    if (!larger)
        return reason_set(why, "out of memory");
    *bytes = larger;
    *room = *room ? *room * 2 : 1 << 16;
    return true;
}

static bool read_all(int fd, char **bytes, size_t *size, struct reason *why) {
    size_t room = 0;
    for (;;) {
        if (*size == room && !grow(bytes, &room, why))
            return false;
        ssize_t n = read(fd, *bytes + *size, room - *size);
        if (n == 0)
            return *size || reason_set(why, "is empty");
        if (n > 0)
            *size += (size_t)n;
        else if (errno != EINTR)
            return reason_set(why, "%s", strerror(errno));
    }
}

bool whole_input(const char *path, char **bytes, size_t *size, struct reason *why) {
    bool is_standard = strcmp(path, "-") == 0;
    int fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *bytes = NULL;
    *size = 0;
    if (fd < 0)
        return reason_set(why, "%s", strerror(errno));
    bool is_read = read_all(fd, bytes, size, why);
    if (!is_read)
        free(*bytes);
    if (!is_standard)
        close(fd);
    return is_read;
}
