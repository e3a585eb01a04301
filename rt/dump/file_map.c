/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regular files in memory. */
#include "file_map.h"

#include "../profile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_mapped {
    struct file_mapped *next;
    char *bytes, *end; /* whole pages */
    volatile sig_atomic_t was_cut;
};

static struct file_mapped *all;

static struct file_mapped *find(const char *page) {
    struct file_mapped *mapped = all;
    while (mapped && (page < mapped->bytes || page >= mapped->end))
        mapped = mapped->next;
    return mapped;
}

/* Zeros instead of a jump out of the reading: so nothing that reads needs to be ready for one. Up to the end
 * at once, for what is behind is gone too, and there can be only so many mappings. */
static void put_zeros(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    char *page = (char *)((uintptr_t)info->si_addr & -(uintptr_t)PROFILE_PAGE);
    struct file_mapped *mapped = find(page);
    if (mapped && mmap(page, (size_t)(mapped->end - page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                       -1, 0) == page)
        mapped->was_cut = 1;
    else
        signal(signal_number, SIG_DFL); /* and it comes again */
}

static void note(struct file_map *map) {
    struct sigaction action = {.sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO};
    size_t pages = (map->size + PROFILE_PAGE - 1) / PROFILE_PAGE;
    *map->mapped = (struct file_mapped){
        .next = all, .bytes = map->bytes, .end = (char *)map->bytes + pages * PROFILE_PAGE};
    all = map->mapped;
    sigaction(SIGBUS, &action, NULL);
}

bool file_map_descriptor(struct file_map *map, int fd, size_t size, struct reason *why) {
    *map = (struct file_map){.size = size, .mapped = malloc(sizeof *map->mapped)};
    map->bytes = map->mapped ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (map->bytes == MAP_FAILED) {
        reason_set(why, "%s", strerror(errno));
        free(map->mapped);
        return false;
    }
    note(map);
    return true;
}

static bool map_regular(int fd, struct file_map *map, struct reason *why) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return reason_set(why, "%s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return reason_set(why, S_ISDIR(status.st_mode) ? "is a directory" : "not a regular file");
    if (status.st_size == 0)
        return reason_set(why, "is empty");
    return file_map_descriptor(map, fd, (size_t)status.st_size, why);
}

bool file_map(struct file_map *map, const char *path, struct reason *why) {
    /* O_NONBLOCK: opening a pipe that nobody writes to must not wait. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return reason_set(why, "%s", strerror(errno));
    bool is_mapped = map_regular(fd, map, why);
    close(fd);
    return is_mapped;
}

void file_unmap(struct file_map *map) {
    struct file_mapped **place = &all;
    while (*place != map->mapped)
        place = &(*place)->next;
    *place = map->mapped->next;
    free(map->mapped);
    munmap(map->bytes, map->size);
}

bool file_map_was_cut(const struct file_map *map) {
    return map->mapped->was_cut;
}

bool file_map_say_cut(struct reason *why) {
    return reason_set(why, "was cut while it was read");
}
