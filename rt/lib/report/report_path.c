/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of reports. A report gets its name when it is complete: a reader finds all or nothing. */
#define _GNU_SOURCE
#include "lib/report/report.h"

#include "base/path.h"
#include "lib/base/os.h"
#include "lib/base/stack.h"
#include "lib/base/state.h"
#include "lib/collect/profiling.h"
#include "lib/registry/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fail_with(const char **why, int error) {
    *why = strerrordesc_np(error);
    return error;
}

static int pattern_expand(char *path, const char *pattern, const char **why) {
    char host[256];
    os_host_name(host, sizeof host);
    struct path_names names = {.pid = (uint64_t)os_process(), .program = program_path(), .host = host};
    if (path_expand(path, PATH_MAX, pattern, &names))
        return 0;
    strncpy(path, pattern, PATH_MAX - 1)[PATH_MAX - 1] = '\0';
    *why = "a % in the path is not %p, %e, %h or %%, or it is too long";
    return EINVAL;
}

/* Checks the file at the path. Returns 0 if there is no file (status is then zero), or if the file may be
 * replaced; otherwise an errno. */
static int target_check(const char *path, struct stat *status) {
    *status = (struct stat){.st_mode = 0};
    if (lstat(path, status) != 0)
        return errno == ENOENT ? 0 : errno;
    if (S_ISLNK(status->st_mode) || S_ISDIR(status->st_mode))
        return S_ISLNK(status->st_mode) ? ELOOP : EISDIR;
    if (!S_ISREG(status->st_mode))
        return 0;
    return status->st_uid != geteuid() ? EPERM : profile_is_at(path) ? EEXIST : 0;
}

/* Opens the path itself: for special files, and for files in a directory where no file can be created. */
static int target_open(struct report_file *file, const struct stat *status) {
    if (!status->st_mode)
        return errno;
    file->is_new = false;
    file->fd = profile_open_at(file->path, O_WRONLY);
    if (file->fd < 0 || !S_ISREG(status->st_mode) || ftruncate(file->fd, 0) == 0)
        return file->fd < 0 ? errno : 0;
    int error = errno;
    os_close(file->fd);
    return error;
}

static int open_file(struct report_file *file) {
    struct stat status;
    int error = target_check(file->path, &status);
    if (error)
        return error;
    file->is_new = !status.st_mode || S_ISREG(status.st_mode);
    if (!file->is_new)
        return target_open(file, &status);
    if (profile_new_name(file->name, file->path))
        file->fd = profile_open_at(file->name, O_WRONLY | O_CREAT | O_EXCL);
    else
        file->fd = -1, errno = ENAMETOOLONG;
    return file->fd >= 0 ? 0 : target_open(file, &status);
}

int report_file_open(struct report_file *file, const char *pattern, const char **why) {
    int error = pattern_expand(file->path, pattern, why);
    if (error)
        return error;
    error = open_file(file);
    return error ? fail_with(why, error) : 0;
}

static int report_file_discard(struct report_file *file, int error) {
    if (file->is_new)
        unlink(file->name);
    return error;
}

/* Checks again, because another process may have created a file that must stay. */
static int target_replace(struct report_file *file) {
    struct stat status;
    int error = target_check(file->path, &status);
    return error || rename(file->name, file->path) == 0 ? error : errno;
}

int report_file_close(struct report_file *file, int error) {
    os_close(file->fd);
    if (!error && file->is_new)
        error = target_replace(file);
    return error ? report_file_discard(file, error) : 0;
}

/* ---- The option report. */

static char directory[PATH_MAX]; /* where relative paths start; saved because the program may change it */
static struct stat before;       /* the file at the path when the process began */
static uint64_t begun;
static bool is_reported;

bool report_path_is_wanted(void) {
    const char *report = runtime_options()->report;
    return strcmp(report, "stderr") != 0 && strcmp(report, "stdout") != 0 && strcmp(report, "none") != 0;
}

bool report_path_is_reported(void) {
    return is_reported;
}

/* Writes the pattern for the report with that number. */
static bool write_pattern(char *pattern, const char *wanted, uint32_t number) {
    bool is_relative = *wanted != '/' && *directory,
         adds_pid = runtime_was_forked() && !profile_names_process(wanted);
    size_t size = strlen(directory) + strlen(wanted) + sizeof "/.%p";
    if (size > PATH_MAX)
        return false;
    strcpy(pattern, is_relative ? directory : "");
    strcat(strcat(pattern, is_relative ? "/" : ""), wanted);
    strcat(pattern, adds_pid ? ".%p" : "");
    return !number || path_add_number(pattern, PATH_MAX, number);
}

int report_path_open(struct report_file *file, const char *wanted, uint32_t number, const char **why) {
    char pattern[PATH_MAX];
    strncpy(file->path, wanted, sizeof file->path - 1)[sizeof file->path - 1] = '\0';
    if (!write_pattern(pattern, wanted, number))
        return fail_with(why, ENAMETOOLONG);
    return report_file_open(file, pattern, why);
}

/* Returns whether a special file is at the path; status: its state. */
static bool is_special(const char *wanted, struct stat *status) {
    char pattern[PATH_MAX], path[PATH_MAX];
    const char *why;
    return write_pattern(pattern, wanted, 0) && pattern_expand(path, pattern, &why) == 0 &&
           lstat(path, status) == 0 && !S_ISREG(status->st_mode) && !S_ISLNK(status->st_mode) &&
           !S_ISDIR(status->st_mode);
}

void report_path_begin(void) {
    begun = os_now();
    if (!getcwd(directory, sizeof directory))
        *directory = '\0';
}

/* Tries another file than the report's, so that a kill loses nothing. Opening a pipe would show its reader an
 * end. */
void report_path_try(const char *wanted) {
    struct report_file file;
    const char *why;
    if (is_special(wanted, &before))
        return;
    if (report_path_open(&file, wanted, 0, &why) == 0) {
        os_close(file.fd);
        report_file_discard(&file, 0);
        return;
    }
    is_reported = true;
    os_say("no report in ", file.path, " so far: ", why);
}

static bool is_same(const struct stat *now) {
    return now->st_ino == before.st_ino && now->st_dev == before.st_dev && now->st_size == before.st_size &&
           now->st_mtim.tv_sec == before.st_mtim.tv_sec && now->st_mtim.tv_nsec == before.st_mtim.tv_nsec;
}

#define TICK 100000000 /* nanoseconds by which the clock of a file system may lag, rounded up */

static bool is_old(const struct stat *now) {
    return (uint64_t)now->st_mtim.tv_sec * 1000000000 + (uint64_t)now->st_mtim.tv_nsec + TICK < begun;
}

/* ---- Lines that are written to the file before the report. */

/* The file that this process has begun, in memory that fork keeps; a forked child begins another one. */
static struct {
    int32_t lock, process;
    char path[PATH_MAX];
} begun_file;

/* Returns whether the report goes to a file that can be begun, and includes faults itself. */
static bool has_lines(const struct run_options *options) {
    return report_path_is_wanted() && options_show_faults(options);
}

/* Creates an empty file at the report's path. */
static bool begin_file(const char *wanted) {
    struct report_file file;
    struct stat status;
    const char *why;
    if (is_special(wanted, &status) || report_path_open(&file, wanted, 0, &why) != 0 ||
        report_path_close(&file, 0) != 0)
        return false;
    strcpy(begun_file.path, file.path);
    begun_file.process = os_process();
    return true;
}

/* Opens the file that this process has begun, which the report will replace. Returns -1 if there is none. */
static int open_begun(const char *wanted) {
    struct stat status;
    if (begun_file.process != os_process() && !begin_file(wanted))
        return -1;
    int fd = profile_open_at(begun_file.path, O_WRONLY | O_APPEND);
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
        return fd;
    os_close(fd);
    return -1;
}

STACK_CALL(bool, report_say_in_file, const char *const *parts) {
    if (os_lock(&begun_file.lock) != 0)
        return false;
    int fd = open_begun(runtime_options()->report);
    bool is_said = fd >= 0 && os_say_to(fd, parts) == 0;
    if (fd >= 0) {
        fstat(fd, &before);
        os_close(fd);
    }
    os_unlock(&begun_file.lock);
    return is_said;
}

void report_say_parts(const char *const *parts) {
    int error = errno;
    if (!has_lines(runtime_options()) || !report_say_in_file(parts))
        os_say_parts(parts);
    errno = error;
}

int report_path_close(struct report_file *file, int error) {
    struct stat now;
    size_t length = strlen(file->path);
    if (error || !file->is_new || (lstat(file->path, &now) == 0 && is_same(&now)))
        return report_file_close(file, error);
    os_close(file->fd);
    for (uint64_t number = 0; number < PATH_NUMBERS_MOST; number++) {
        file->path[length] = '\0';
        if (number && !path_add_number(file->path, sizeof file->path, number))
            break;
        if (profile_give_name(file->name, file->path))
            return 0;
        if (errno != EEXIST)
            return report_file_discard(file, errno);
        if (number && lstat(file->path, &now) == 0 && (is_same(&now) || is_old(&now)) &&
            target_replace(file) == 0)
            return 0;
    }
    return report_file_discard(file, EEXIST);
}
