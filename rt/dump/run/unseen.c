/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Processes that executed a program into which the runtime could not be preloaded. */
#include "base/arrays.h"
#include "dump/base/memory.h"
#include "dump/run/launch.h"
#include "profile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One profile. A process has a profile for each program that it executes. */
struct image_end {
    uint64_t pid_namespace, pid, start_time; /* of the process */
    uint64_t begun;
    bool is_exec; /* it ended by executing another program */
};

static bool read_end(struct image_end *end, const char *path) {
    struct profile_header header;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = fd >= 0 && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                   memcmp(header.magic, PROFILE_MAGIC, PROFILE_MAGIC_SIZE) == 0;
    if (fd >= 0)
        close(fd);
    if (is_read)
        *end = (struct image_end){header.pid_namespace, header.pid, header.start_time, header.begun,
                                  header.ending == PROFILE_EXEC};
    return is_read;
}

enum { PROCESS_SIZE = offsetof(struct image_end, begun) };

static int compare_ends(const void *a, const void *b) {
    const struct image_end *left = a, *right = b;
    int process = memcmp(left, right, PROCESS_SIZE);
    return process ? process : (left->begun > right->begun) - (left->begun < right->begun);
}

size_t launch_unseen(char **profiles, size_t count) {
    struct image_end *ends = memory_zeros(count, sizeof *ends);
    size_t read = 0, unseen = 0;
    for (size_t i = 0; i < count; i++)
        read += read_end(&ends[read], profiles[i]);
    sort_list(ends, read, sizeof *ends, compare_ends);
    for (size_t i = 0; i < read; i++)
        unseen += ends[i].is_exec && (i + 1 == read || memcmp(&ends[i], &ends[i + 1], PROCESS_SIZE) != 0);
    free(ends);
    return unseen;
}
