/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the file in which a process counts among its shared mappings: its profile, or a memfd
 * (lib/store/store.h). */
#include "dump/process/process.h"

#include "base/path.h"
#include "dump/base/memory.h"
#include "dump/process/memory.h"
#include "root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Space for "/proc/PID/root" and a path. */
#define PATH_SIZE (PATH_MAX + 32)

struct search {
    unsigned pid;
    uint64_t inner_id; /* in the process's own pid namespace */
    int mode;          /* of open(2) */
    struct process_counters found;
    uint32_t areas;      /* of the best file so far */
    unsigned unopenable; /* mappings that look like counters but cannot be opened */
};

/* ---- Opening the file of a mapping. */

/* Opens the path only if it still is the mapped file: opening a device could have effects. */
static int open_same(const struct search *search, const char *path, const struct process_mapping *mapping) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_ino != mapping->inode)
        return -1;
    return open(path, search->mode | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Finds the process's descriptor whose link equals the mapping's path. */
static int open_descriptor(const struct search *search, const struct process_mapping *mapping) {
    char folder[32], path[sizeof folder + NAME_MAX + 2], link[PATH_SIZE];
    int fd = -1;
    snprintf(folder, sizeof folder, "/proc/%u/fd", search->pid);
    DIR *list = opendir(folder);
    for (const struct dirent *entry; fd < 0 && list && (entry = readdir(list));) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ssize_t length = readlink(path, link, sizeof link - 1);
        link[length < 0 ? 0 : length] = '\0';
        if (strcmp(link, mapping->path) == 0)
            fd = open_same(search, path, mapping);
    }
    if (list)
        closedir(list);
    return fd;
}

/* Tries a descriptor first, which the program may have closed. A profile has a path, possibly in the
 * process's mount namespace, and the kernel opens mappings for root. -1: nothing worked. */
static int open_mapping(const struct search *search, const struct process_mapping *mapping) {
    char path[PATH_SIZE];
    int fd = open_descriptor(search, mapping);
    if (fd < 0)
        fd = open_same(search, mapping->path, mapping);
    if (fd < 0 && snprintf(path, sizeof path, "/proc/%u/root%s", search->pid, mapping->path) < PATH_SIZE)
        fd = open_same(search, path, mapping);
    snprintf(path, sizeof path, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, search->pid, mapping->start,
             mapping->end);
    return fd < 0 ? open_same(search, path, mapping) : fd;
}

/* ---- Whether the file has the counters of the process. */

/* A forked child maps its parent's file until it first counts something. */
static bool is_of_process(const struct search *search, const struct profile_header *header) {
    return memcmp(header->magic, PROFILE_MAGIC, sizeof header->magic) == 0 &&
           (!search->inner_id || header->pid == search->inner_id);
}

static bool read_at(int fd, void *to, size_t size, off_t offset) {
    return pread(fd, to, size, offset) == (ssize_t)size;
}

/* If the process contains several runtimes, keeps the one that counts most. */
static void take_file(struct search *search, int fd, const struct profile_header *header) {
    struct process_counters *found = &search->found;
    uint32_t areas = 0;
    read_at(fd, &areas, sizeof areas, PROFILE_PAGE + offsetof(struct profile_directory, areas));
    bool is_first = found->fd < 0;
    found->has_others = !is_first;
    if (!is_first && areas <= search->areas) {
        close(fd);
        return;
    }
    if (!is_first)
        close(found->fd);
    found->fd = fd;
    found->header = *header;
    search->areas = areas;
}

static bool is_memfd(const char *path) {
    static const char ours[] = "/memfd:allocsite";
    return strncmp(path, ours, strlen(ours)) == 0;
}

static bool may_be_ours(const char *path) {
    static const char any[] = "/memfd:";
    return path[0] == '/' && (is_memfd(path) || strncmp(path, any, strlen(any)) != 0);
}

static void look_at(struct search *search, const struct process_mapping *mapping) {
    struct profile_header header;
    int fd = open_mapping(search, mapping);
    search->unopenable += fd < 0 && is_memfd(mapping->path);
    if (fd < 0)
        return;
    if (read_at(fd, &header, sizeof header, 0) && is_of_process(search, &header))
        take_file(search, fd, &header);
    else
        close(fd);
}

/* The header is at the beginning of the file, so only mappings at offset 0 are examined. */
static void look_at_all(struct search *search, struct process_maps *maps) {
    for (struct process_mapping mapping; process_maps_next(maps, &mapping);)
        if (mapping.flags[1] == 'w' && mapping.flags[3] == 's' && !mapping.offset &&
            may_be_ours(mapping.path))
            look_at(search, &mapping);
}

/* ---- The reason why there is no file, as the runtime's root says. */

static const char *const reasons[] = {
    [ROOT_NOT_STARTED] = "has just started",
    [ROOT_IS_OFF] = "counts nothing: it was started with enabled=0; with stopped=1 it would wait for a start",
    [ROOT_IS_PRIVATE] =
        "counts in memory that other processes cannot read, because the kernel gave it no memory file: top, "
        "record, serve and report pid:N are unavailable; start it with ALLOCSITE_OPTIONS=profile=PATH",
    [ROOT_HAS_FILE] = "is a forked child that has counted nothing yet",
};

static bool say_nothing_found(const struct search *search, struct reason *why) {
    static struct remote_memory memory;
    struct remote_root root;
    if (search->unopenable)
        return reason_set(why, "has closed the descriptor of its counters, so only the superuser can read "
                               "them; start it with ALLOCSITE_OPTIONS=profile=PATH");
    remote_memory_open(&memory, search->pid);
    bool is_there = remote_root_find(&root, &memory, why);
    uint32_t state = is_there ? remote_u32(&memory, root.root.state) : 0;
    remote_memory_close(&memory);
    return is_there && reason_set(why, "%s", reasons[state <= ROOT_HAS_FILE ? state : ROOT_NOT_STARTED]);
}

bool process_counters_open(struct process_counters *counters, unsigned pid, bool is_to_write,
                           struct reason *why) {
    struct search search = {.pid = pid,
                            .inner_id = process_inner_id(pid),
                            .mode = is_to_write ? O_RDWR : O_RDONLY,
                            .found = {.fd = -1}};
    struct process_maps maps;
    uint64_t start_time = process_start_time(pid);
    if (!process_maps_open(&maps, pid, why))
        return false;
    look_at_all(&search, &maps);
    process_maps_close(&maps);
    *counters = search.found;
    counters->start_time = start_time;
    return search.found.fd >= 0 || say_nothing_found(&search, why);
}

/* ---- Following a process. */

struct tracked_process {
    unsigned pid;
    struct process_counters counters;
};

static struct tracked_process *all_followed;
static size_t followed_count, followed_capacity;

static struct process_counters *find_followed(unsigned pid) {
    for (size_t i = 0; i < followed_count; i++)
        if (all_followed[i].pid == pid)
            return &all_followed[i].counters;
    return NULL;
}

static const struct process_counters *follow_counters(unsigned pid, const struct process_counters *now) {
    memory_grow(&all_followed, followed_count, &followed_capacity, sizeof *all_followed);
    all_followed[followed_count] = (struct tracked_process){pid, *now};
    return &all_followed[followed_count++].counters;
}

/* allocsite_start_profile moves the counters of a program to another file. */
const struct process_counters *process_counters_follow(unsigned pid, struct reason *why) {
    struct process_counters now, *known = find_followed(pid);
    if (!process_counters_open(&now, pid, false, why))
        return known;
    if (!known)
        return follow_counters(pid, &now);
    bool is_same = now.start_time == known->start_time && now.header.begun == known->header.begun;
    close(is_same ? known->fd : now.fd);
    if (is_same)
        *known = now;
    return known;
}

/* Compares file names only: folders may differ in the process's mount namespace. The kernel appends "
 * (deleted)" if the executable was replaced. */
static bool runs_another(unsigned pid, const char *program) {
    static const char deleted[] = " (deleted)";
    char link[32], path[PATH_SIZE];
    snprintf(link, sizeof link, "/proc/%u/exe", pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return false;
    path[length] = '\0';
    const char *was = path_base(program), *is = path_base(path);
    size_t same = strlen(was);
    return strncmp(was, is, same) != 0 || (is[same] && strcmp(is + same, deleted) != 0);
}

bool process_has_executed(unsigned pid, const char *program, uint64_t begun) {
    struct process_counters now;
    struct reason unimportant;
    if (!process_counters_open(&now, pid, false, &unimportant))
        return runs_another(pid, program);
    close(now.fd);
    return now.header.begun != begun;
}
