/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps, reads and writes files. */
#include "dump/base/files.h"

#include "dump/base/memory.h"
#include "dump/base/terminal.h"
#include "profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
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

static struct file_mapped *find_mapped(const char *page) {
    struct file_mapped *mapped = all;
    while (mapped && (page < mapped->bytes || page >= mapped->end))
        mapped = mapped->next;
    return mapped;
}

/* Maps zeros over the missing pages, up to the end of the mapping, and returns to the reader. A longjmp would
 * need an error path in every reader; this needs only one more mapping. */
static void put_zeros(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    char *page = (char *)((uintptr_t)info->si_addr & -(uintptr_t)PROFILE_PAGE);
    struct file_mapped *mapped = find_mapped(page);
    if (mapped && mmap(page, (size_t)(mapped->end - page), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                       -1, 0) == page)
        mapped->was_cut = 1;
    else
        signal(signal_number, SIG_DFL); /* the signal is raised again */
}

static void note_mapping(struct file_map *map) {
    struct sigaction action = {.sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO};
    size_t pages = (map->size + PROFILE_PAGE - 1) / PROFILE_PAGE;
    map->mapped = memory_zeros(1, sizeof *map->mapped);
    *map->mapped = (struct file_mapped){
        .next = all, .bytes = map->bytes, .end = (char *)map->bytes + pages * PROFILE_PAGE};
    all = map->mapped;
    sigaction(SIGBUS, &action, NULL);
}

bool file_map_descriptor(struct file_map *map, int fd, size_t size, struct reason *why) {
    *map = (struct file_map){.size = size, .bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0)};
    if (map->bytes == MAP_FAILED)
        return reason_errno(why);
    note_mapping(map);
    return true;
}

static bool map_regular(int fd, struct file_map *map, struct reason *why) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return reason_errno(why);
    if (!S_ISREG(status.st_mode))
        return reason_set(why, S_ISDIR(status.st_mode) ? "is a directory" : "not a regular file");
    if (status.st_size == 0)
        return reason_set(why, "is empty");
    return file_map_descriptor(map, fd, (size_t)status.st_size, why);
}

bool file_map(struct file_map *map, const char *path, struct reason *why) {
    /* O_NONBLOCK: opening a pipe without a writer must not wait. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return reason_errno(why);
    bool is_mapped = map_regular(fd, map, why);
    close(fd);
    return is_mapped;
}

bool file_unmap(struct file_map *map, struct reason *why) {
    struct file_mapped **place = &all;
    (void)((const volatile char *)map->bytes)[map->size - 1];
    while (*place != map->mapped)
        place = &(*place)->next;
    *place = map->mapped->next;
    bool was_cut = map->mapped->was_cut;
    free(map->mapped);
    munmap(map->bytes, map->size);
    return !was_cut || reason_set(why, "was truncated while it was read");
}

/* ---- A file that replaces the old one when it is complete. */

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

/* True for standard output, a character device or a pipe, which cannot be replaced by a file. */
static bool is_there(const char *path) {
    struct stat status;
    return is_standard(path) ||
           (stat(path, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)));
}

static bool open_there(struct new_file *file, struct reason *why) {
    file->temporary = NULL;
    file->fd = is_standard(file->path) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                       : open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file->fd >= 0 || reason_errno(why);
}

/* Renaming would replace a symbolic link instead of writing to its target. */
static bool check_place(const char *path, struct reason *why) {
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT || reason_errno(why);
    if (S_ISLNK(status.st_mode))
        return reason_set(why, "is a symbolic link and not followed");
    return S_ISREG(status.st_mode) ||
           reason_set(why, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file");
}

bool new_file_open(struct new_file *file, const char *path, struct reason *why) {
    file->path = path;
    if (is_there(path))
        return open_there(file, why);
    if (!check_place(path, why))
        return false;
    file->temporary = memory_text("%s.XXXXXX", path);
    file->fd = mkostemp(file->temporary, O_CLOEXEC);
    if (file->fd >= 0)
        return true;
    reason_errno(why);
    free(file->temporary);
    return false;
}

bool new_file_end(struct new_file *file, int error, struct reason *why) {
    /* Some file systems report a full disk only here. */
    if (close(file->fd) != 0 && !error)
        error = errno;
    if (!error && file->temporary && rename(file->temporary, file->path) != 0)
        error = errno;
    if (error && file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    return !error || reason_set(why, "%s", strerror(error));
}

int new_file_check(const char *path) {
    struct new_file file;
    struct reason why;
    if (is_there(path))
        return STATUS_DONE;
    if (!new_file_open(&file, path, &why))
        return complain_file(path, "%s", why.text);
    new_file_end(&file, ECANCELED, &why);
    return STATUS_DONE;
}

/* ---- All bytes of a file or pipe. */

static bool grow_buffer(char **bytes, size_t *capacity, struct reason *why) {
    if (*capacity >= WHOLE_INPUT_MAX)
        return reason_set(why, "is larger than 1 GiB");
    char *larger = realloc(*bytes, *capacity ? *capacity * 2 : 1 << 16);
    if (!larger)
        return reason_set(why, "out of memory");
    *bytes = larger;
    *capacity = *capacity ? *capacity * 2 : 1 << 16;
    return true;
}

static bool read_all(int fd, char **bytes, size_t *size, struct reason *why) {
    size_t capacity = 0;
    for (;;) {
        if (*size == capacity && !grow_buffer(bytes, &capacity, why))
            return false;
        ssize_t n = read(fd, *bytes + *size, capacity - *size);
        if (n == 0)
            return *size || reason_set(why, "is empty");
        if (n > 0)
            *size += (size_t)n;
        else if (errno != EINTR)
            return reason_errno(why);
    }
}

bool whole_input(const char *path, char **bytes, size_t *size, struct reason *why) {
    int fd = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *bytes = NULL;
    *size = 0;
    if (fd < 0)
        return reason_errno(why);
    bool is_read = read_all(fd, bytes, size, why);
    if (!is_read)
        free(*bytes);
    if (!is_standard(path))
        close(fd);
    return is_read;
}

/* ---- The files of a folder. */

static int is_file(const struct dirent *entry) {
    return entry->d_name[0] != '.' && !strstr(entry->d_name, ".new.");
}

char **folder_files(const char *path, int *count) {
    struct dirent **entries;
    *count = scandir(path, &entries, is_file, alphasort);
    if (*count < 0)
        return NULL;
    char **files = memory_zeros((size_t)*count, sizeof *files);
    for (int i = 0; i < *count; i++) {
        files[i] = memory_text("%s/%s", path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return files;
}

/* ---- The standard output of a command. */

static struct out out;
static const char *output; /* NULL: standard output itself */
static struct new_file file;

void standard_out_to(const char *path) {
    output = is_standard(path) ? NULL : path;
}

int standard_out_status(int status) {
    return fflush(stdout) == 0 && !ferror(stdout) ? status
                                                  : complain_file("standard output", "%s", strerror(errno));
}

int standard_out_terminal(void) {
    return output ? -1 : STDOUT_FILENO;
}

struct out *standard_out(void) {
    static char buffer[1 << 16];
    struct reason why;
    if (!output && isatty(STDOUT_FILENO))
        progress_off();
    progress_end();
    bool is_open = !output || new_file_open(&file, output, &why);
    out_open(&out, output ? file.fd : STDOUT_FILENO, buffer, sizeof buffer);
    if (is_open)
        return &out;
    complain_file(output, "%s", why.text);
    out.error = EPIPE;
    file = (struct new_file){.path = NULL};
    return &out;
}

static int end_file(int error) {
    struct reason why;
    if (!file.path)
        return STATUS_FAILED;
    return new_file_end(&file, error, &why) ? STATUS_DONE : complain_file(output, "%s", why.text);
}

static int failed;

bool standard_out_failed(void) {
    return failed;
}

int standard_out_end(void) {
    int error = failed = out_flush(&out);
    progress_end();
    if (output)
        return end_file(error);
    if (error && error != EPIPE)
        complain_file("standard output", "%s", strerror(error));
    return error ? STATUS_FAILED : STATUS_DONE;
}
