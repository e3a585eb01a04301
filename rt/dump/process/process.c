/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Examines processes of this machine. */
#include "dump/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fields of proc_pid_stat(5). All except `threads` are those of the first thread. */
struct stat_fields {
    char state;
    uint64_t threads, start, memory; /* memory becomes 0 before the state shows the end */
};

/* The fields after the command, which may contain anything, start with the third (state). Reads fields 3, 20,
 * 22 and 23. */
static bool parse_stat(const char *stat, struct stat_fields *fields) {
    const char *at = strrchr(stat, ')');
    return at && sscanf(at + 1,
                        " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64
                        " %*s %" SCNu64 " %" SCNu64,
                        &fields->state, &fields->threads, &fields->start, &fields->memory) == 4;
}

static bool is_this_host(const char *host) {
    char name[256] = "";
    return !host || (gethostname(name, sizeof name - 1) == 0 && strcmp(name, host) == 0);
}

static size_t read_file(const char *path, char *text, size_t size) {
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    return length;
}

static bool read_stat(uint64_t pid, struct stat_fields *fields) {
    char path[64], stat[2048];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
    return read_file(path, stat, sizeof stat) && parse_stat(stat, fields);
}

static bool thread_runs(const struct stat_fields *fields) {
    return fields->memory && fields->state != 'Z' && fields->state != 'X';
}

bool process_runs(uint64_t pid, uint64_t start_time, const char *host) {
    struct stat_fields fields;
    return pid && is_this_host(host) && read_stat(pid, &fields) && fields.start == start_time &&
           (fields.threads > 1 || thread_runs(&fields));
}

uint64_t process_start_time(uint64_t pid) {
    struct stat_fields fields;
    return read_stat(pid, &fields) ? fields.start : 0;
}

bool process_thread_runs(uint64_t id) {
    struct stat_fields fields;
    return read_stat(id, &fields) && thread_runs(&fields);
}

/* The value of a line of proc_pid_status(5); NULL: no such line. */
static const char *read_status(uint64_t pid, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/status", pid);
    read_file(path, text, size);
    const char *line = strstr(text, name);
    return line ? line + strlen(name) : NULL;
}

uint64_t process_inner_id(uint64_t pid) {
    char text[4096];
    const char *at = read_status(pid, "\nNSpid:", text, sizeof text);
    uint64_t inner_id = 0, next;
    for (int length; at && sscanf(at, "%*[ \t]%" SCNu64 "%n", &next, &length) == 1; at += length)
        inner_id = next;
    return inner_id;
}

bool process_filters_calls(uint64_t id) {
    char text[4096];
    const char *at = read_status(id, "\nSeccomp:", text, sizeof text);
    return at && atoi(at) != 0;
}

bool process_ignores(uint64_t id, int signal) {
    char text[4096];
    const char *at = read_status(id, "\nSigIgn:", text, sizeof text);
    return at && strtoull(at, NULL, 16) >> (signal - 1) & 1;
}

static uint64_t read_kib(uint64_t pid, const char *name) {
    char text[4096];
    const char *at = read_status(pid, name, text, sizeof text);
    uint64_t kib;
    return at && sscanf(at, "%" SCNu64 " kB", &kib) == 1 ? kib * 1024 : 0;
}

uint64_t process_memory(uint64_t pid) {
    return read_kib(pid, "\nVmRSS:") + read_kib(pid, "\nVmSwap:");
}

uint64_t process_resident(uint64_t pid) {
    return read_kib(pid, "\nVmRSS:");
}

/* A set-user-id program runs as another user than the one who started it. */
static bool is_of_user(uint64_t pid) {
    char text[4096];
    const char *at = read_status(pid, "\nUid:", text, sizeof text);
    unsigned real, effective;
    return at && sscanf(at, "%u %u", &real, &effective) == 2 && real == geteuid() && effective == real;
}

bool process_refuses(uint64_t pid, struct reason *why) {
    char scope[16];
    if (!is_of_user(pid))
        return reason_set(why, "belongs to another user, and its memory may not be read");
    read_file("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope);
    return reason_set(why,
                      "the kernel does not permit reading its memory%s; start the program with "
                      "ALLOCSITE_OPTIONS=profile=PATH, which needs no permission",
                      scope[0] > '0' ? " (kernel.yama.ptrace_scope)" : "");
}

void process_prefer_oom_kill(uint64_t pid) {
    char path[48];
    snprintf(path, sizeof path, "/proc/%" PRIu64 "/oom_score_adj", pid);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "1000", 4) < 0)
        errno = 0;
    if (fd >= 0)
        close(fd);
}

/* ---- The mappings of a process: /proc/PID/maps (proc_pid_maps(5)). */

bool process_maps_open(struct process_maps *maps, unsigned pid, struct reason *why) {
    char name[32];
    snprintf(name, sizeof name, "/proc/%u/maps", pid);
    *maps = (struct process_maps){.file = fopen(name, "re")};
    if (maps->file)
        return true;
    return errno == ENOENT ? reason_set(why, "there is no such process") : process_refuses(pid, why);
}

/* Decodes newlines, which the kernel writes as \012. */
static void restore_path(char *path) {
    char *to = path;
    for (const char *from = path; *from && *from != '\n'; to++) {
        bool is_newline = strncmp(from, "\\012", 4) == 0;
        *to = is_newline ? '\n' : *from;
        from += is_newline ? 4 : 1;
    }
    *to = '\0';
}

/* "7f00-7f80 rw-s 00000000 08:01 1234   /path". */
static bool read_mapping(char *line, struct process_mapping *mapping) {
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n", &mapping->start,
               &mapping->end, mapping->flags, &mapping->offset, &mapping->inode, &path) != 5 ||
        !path)
        return false;
    restore_path(line + path);
    mapping->path = line + path;
    return true;
}

bool process_maps_next(struct process_maps *maps, struct process_mapping *mapping) {
    while (getline(&maps->line, &maps->size, maps->file) > 0)
        if (read_mapping(maps->line, mapping))
            return true;
    return false;
}

void process_maps_close(struct process_maps *maps) {
    fclose(maps->file);
    free(maps->line);
}
