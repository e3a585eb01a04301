/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads a report from a profile, a moment of a recording, or a process. */
#include "dump/load/source.h"

#include "base/arrays.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/elf/elf_file.h"
#include "dump/line/attribute.h"
#include "dump/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How often a profile that keeps changing is read again. */
enum { READINGS = 5 };

/* True if a hole of the file has been written to since the extents were read. */
static bool has_filled(const struct extents *extents, int fd, size_t size) {
    struct extents now = extents_of_file(fd, size);
    bool has_filled = !extents_equal(&now, extents);
    extents_free(&now);
    return has_filled;
}

static bool read_there(struct profile_file *file, int fd, const struct file_map *map, bool *has_changed,
                       struct reason *why) {
    struct extents extents = extents_of_file(fd, map->size);
    bool is_read = profile_read_sparse(file, map->bytes, map->size, &extents, why);
    *has_changed = is_read && !file->report.finished && has_filled(&extents, fd, map->size);
    extents_free(&extents);
    if (*has_changed)
        profile_reasons_add_filled(file);
    return is_read;
}

/* True if the file has grown. The areas may have been written after the size was read. */
static bool has_grown(int fd, const struct stat *before) {
    struct stat now;
    return fstat(fd, &now) == 0 && now.st_size > before->st_size;
}

/* Maps the file on each attempt, because it may have grown. */
static bool read_once(struct profile_file *file, int fd, bool *has_changed, struct reason *why) {
    struct file_map map;
    struct stat status;
    *has_changed = false;
    if (fstat(fd, &status) != 0)
        return reason_errno(why);
    if (status.st_size == 0)
        return reason_set(why, "is empty");
    if (!file_map_descriptor(&map, fd, (size_t)status.st_size, why))
        return false;
    bool is_read = read_there(file, fd, &map, has_changed, why);
    bool was_cut = !file_unmap(&map, why);
    *has_changed |= was_cut || (is_read && (file->is_changing || has_grown(fd, &status)));
    if (is_read && was_cut)
        profile_read_free(file);
    return is_read && !was_cut;
}

static bool read_calm(struct profile_file *file, int fd, struct reason *why) {
    for (int i = 1;; i++) {
        bool has_changed, is_read = read_once(file, fd, &has_changed, why);
        if (!has_changed || i == READINGS)
            return is_read;
        if (is_read)
            profile_read_free(file);
    }
}

/* pid and start_time are as seen from our namespace. */
static bool still_runs(const struct profile_file *file, uint64_t pid, uint64_t start_time, const char *host) {
    return !file->report.finished && !file->report.several.count && process_runs(pid, start_time, host) &&
           !process_has_executed((unsigned)pid, file->report.program, file->begun);
}

static bool load_profile(struct report_source *source, int fd, struct reason *why) {
    struct profile_file *file = &source->profile;
    source->report = &file->report;
    bool is_read = read_calm(file, fd, why);
    if (is_read)
        file->report.running = still_runs(file, file->pid, file->start_time, file->host);
    return is_read;
}

static bool load_process(struct report_source *source, unsigned pid, struct reason *why) {
    struct profile_file *file = &source->profile;
    source->report = &file->report;
    const struct process_counters *counters = process_counters_follow(pid, why);
    if (!counters)
        return false;
    if (counters->header.flags & PROFILE_IS_ASLEEP)
        return reason_set(why, "counts nothing: it was started with enabled=0");
    if (!read_calm(file, counters->fd, why))
        return false;
    if (counters->has_others)
        profile_reasons_add_gap(file, GAP_SECOND_RUNTIME);
    file->report.running = still_runs(file, pid, counters->start_time, NULL);
    return true;
}

static bool read_bytes(struct report_source *source, char *bytes, size_t size, const char *at,
                       struct reason *why) {
    if (elf_is_core(bytes, size, why))
        return false;
    source->is_recording = recording_is(bytes, size);
    if (source->is_recording) {
        source->report = &source->moment.report;
        return moment_load(&source->moment, bytes, size, at, why);
    }
    if (at)
        return reason_set(why, "is not a recording, and only recordings have moments");
    source->report = &source->profile.report;
    return profile_read(&source->profile, bytes, size, why);
}

static bool load_bytes(struct report_source *source, const char *path, const char *at, struct reason *why) {
    char *bytes;
    size_t size;
    if (!whole_input(path, &bytes, &size, why))
        return false;
    bool is_read = read_bytes(source, bytes, size, at, why);
    if (!is_read || !source->is_recording)
        free(bytes);
    return is_read;
}

/* Loads "FILE@TIME" if no file has that whole name. */
static bool load_moment(struct report_source *source, const char *path, struct reason *why) {
    const char *at = strrchr(path, '@');
    char *file = strndup(path, at ? (size_t)(at - path) : 0);
    bool is_moment = at && access(path, F_OK) != 0 && access(memory_need(file), F_OK) == 0;
    bool is_read = load_bytes(source, is_moment ? file : path, is_moment ? at + 1 : NULL, why);
    free(file);
    return is_read;
}

/* Returns an open descriptor; -1: not a regular file, or not readable. Opening a pipe twice would lose its
 * reader. */
static int open_regular(const char *path) {
    struct stat status;
    bool is_input = strcmp(path, "-") == 0;
    bool is_there = (is_input ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0;
    if (!is_there || !S_ISREG(status.st_mode))
        return -1;
    return is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
}

static bool load_open(struct report_source *source, const char *path, int fd, struct reason *why) {
    char magic[64]; /* header of an ELF file */
    ssize_t size = pread(fd, magic, sizeof magic, 0);
    if (size > 0 && elf_is_core(magic, (size_t)size, why))
        return false;
    if (size >= RECORDING_MAGIC_SIZE && recording_is(magic, (size_t)size))
        return load_bytes(source, path, NULL, why);
    return load_profile(source, fd, why);
}

static bool load_file(struct report_source *source, const char *path, struct reason *why) {
    int fd = open_regular(path);
    if (fd < 0)
        return load_moment(source, path, why);
    bool is_read = load_open(source, path, fd, why);
    close(fd);
    return is_read;
}

bool report_source_is_pid(const char *text, unsigned *pid) {
    if (strncmp(text, REPORT_SOURCE_PID, strlen(REPORT_SOURCE_PID)) == 0)
        text += strlen(REPORT_SOURCE_PID);
    size_t length = strspn(text, "0123456789");
    if (!length || length > 9 || text[length])
        return false;
    *pid = (unsigned)strtoul(text, NULL, 10);
    return true;
}

bool report_source_is_process(const char *path, unsigned *pid) {
    bool is_sure = path[0] == REPORT_SOURCE_PID[0];
    return report_source_is_pid(path, pid) && (is_sure || access(path, F_OK) != 0);
}

bool report_source_load(struct report_source *source, const char *path, struct reason *why) {
    unsigned pid;
    source->is_recording = false;
    return report_source_is_process(path, &pid) ? load_process(source, pid, why)
                                                : load_file(source, path, why);
}

void report_source_lines(const struct report_source *source, struct symbolizer *symbolizer) {
    symbolize_report(symbolizer, source->report);
    if (!source->is_recording)
        attribute_report(symbolizer, source->report);
}

void report_source_paths(const struct report_source *source, struct symbolizer *symbolizer) {
    symbolize_report(symbolizer, source->report);
    attribute_remaining(source->report);
}

void report_source_free(struct report_source *source) {
    attribute_free(source->report);
    if (source->is_recording)
        moment_free(&source->moment);
    else
        profile_read_free(&source->profile);
}

/* ---- The modules that reports name. */

static void add_module(struct module_list *modules, const char *path, const char *build_id) {
    for (size_t i = 0; i < modules->count; i++)
        if (is_same_text(modules->list[i].path, path) && is_same_text(modules->list[i].build_id, build_id))
            return;
    memory_grow(&modules->list, modules->count, &modules->capacity, sizeof *modules->list);
    modules->list[modules->count++] = (struct report_module){
        .path = string_keep(&modules->strings, path), .build_id = string_keep(&modules->strings, build_id)};
}

static void add_all(struct module_list *modules, const struct report_module *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (from[i].path)
            add_module(modules, from[i].path, from[i].build_id);
}

/* Most modules of a recording are named only in its rows. */
static void add_rows(struct module_list *modules, const struct report *report) {
    const char *last = NULL;
    for (size_t i = 0; i < report->site_count; i++) {
        const char *module = report->sites[i]->view.module;
        if (module && module != last)
            add_module(modules, module, NULL);
        last = module;
    }
}

void module_list_take(struct module_list *modules, const struct report_source *source) {
    const struct report *report = source->report;
    if (!source->is_recording)
        add_all(modules, source->profile.modules.list, source->profile.modules.count);
    add_all(modules, report->modules, report->modules_size);
    add_rows(modules, report);
    /* The merged report of several programs has a name that is not a file's. */
    if (report->program && report->program[0] == '/')
        add_module(modules, report->program, NULL);
}

/* Names such as "[no module]" stand for memory without a file. */
bool module_list_has_file(const struct module_list *modules, const struct report_module *module) {
    if (module->path[0] == '[' || strncmp(module->path, "linux-vdso", strlen("linux-vdso")) == 0)
        return false;
    for (size_t i = 0; !module->build_id && i < modules->count; i++)
        if (modules->list[i].build_id && is_same_text(modules->list[i].path, module->path))
            return false;
    return true;
}

void module_list_free(struct module_list *modules) {
    free(modules->list);
    string_pool_free(&modules->strings);
}
