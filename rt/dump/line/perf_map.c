/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Perf maps. */
#include "dump/line/perf_map.h"

#include "base/arrays.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool take_hex(char **at, uint64_t *number) {
    char *end;
    if (!strchr("0123456789abcdefABCDEF", **at) || !**at)
        return false;
    *number = strtoull(*at, &end, 16);
    bool is_number = *end == ' ';
    *at = end + is_number;
    return is_number;
}

/* The line ends with a NUL. */
static void add_line(struct perf_map *map, char *line, size_t number) {
    struct perf_map_entry entry = {.number = number};
    if (!take_hex(&line, &entry.start) || !take_hex(&line, &entry.size) || !*line || !entry.size)
        return;
    entry.name = line;
    memory_grow(&map->list, map->count, &map->capacity, sizeof *map->list);
    map->list[map->count++] = entry;
}

static int perf_map_compare(const void *a, const void *b) {
    const struct perf_map_entry *left = a, *right = b;
    return compare_u64(left->start, right->start) ?: compare_u64(left->number, right->number);
}

void perf_map_read(struct perf_map *map, char *text) {
    size_t number = 0;
    map->text = text;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        add_line(map, line, number++);
    }
    sort_list(map->list, map->count, sizeof *map->list, perf_map_compare);
}

/* Any user can write files to /tmp, so only files of the current user and of root are read. */
static bool is_trusted(int fd, uint64_t begun) {
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    uint64_t written = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    return (status.st_uid == geteuid() || status.st_uid == 0) && written >= begun;
}

static char *read_text(int fd) {
    struct file_map file;
    struct reason unimportant;
    struct stat status;
    if (fstat(fd, &status) != 0 || !file_map_descriptor(&file, fd, (size_t)status.st_size, &unimportant))
        return NULL;
    char *text = memory_need(strndup(file.bytes, file.size));
    file_unmap(&file, &unimportant);
    return text;
}

void perf_map_open(struct perf_map *map, uint64_t pid, uint64_t begun) {
    char path[64];
    *map = (struct perf_map){.count = 0};
    snprintf(path, sizeof path, "/tmp/perf-%" PRIu64 ".map", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *text = is_trusted(fd, begun) ? read_text(fd) : NULL;
    if (text)
        perf_map_read(map, text);
    if (fd >= 0)
        close(fd);
}

/* Tries the last functions that start at or before the address, because an earlier one may be longer. */
const char *perf_map_find(const struct perf_map *map, uint64_t address) {
    enum { LOOK_BACK = 16 };
    size_t upper = sorted_up_to(map->list, map->count, sizeof *map->list,
                                offsetof(struct perf_map_entry, start), address);
    for (size_t i = upper; i-- > 0 && upper - i <= LOOK_BACK;)
        if (address - map->list[i].start < map->list[i].size)
            return map->list[i].name;
    return NULL;
}

void perf_map_close(struct perf_map *map) {
    free(map->list);
    free(map->text);
}
