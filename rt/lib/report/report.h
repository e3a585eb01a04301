/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports: when they are written (at exit, at a signal, on demand), and to which file. */
#ifndef ALLOCSITE_LIB_REPORT_REPORT_H
#define ALLOCSITE_LIB_REPORT_REPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Reports at the end of the process. */

/* Installs the report at exit. */
void exit_install(void);

/* Writes the exit report now, in the shared library: no code of the program runs after it. */
void exit_now(void);

/* The process is about to end by _exit, so stdio must not be flushed. Writes the report if there was none. In
 * a signal handler without fatal=1 it writes only a line that says where the counts are. */
int exit_at_once(int status);

/* The process is about to end by this signal. */
void exit_by_signal(int number);

/* ---- Faults of the program: the first ones are reported at once, one line each, by report_say. */

void faults_begin(void);

/* ---- Options for signals. */

/* From now on this signal writes a report. */
void signal_report_begin(int number);

/* From now on this signal starts or stops counting. */
void signal_start_begin(int number);

/* Reports and records signals that end the process, except those that the program ignores or handles. */
void signal_fatal_begin(void);

/* ---- Files of reports. */

struct report_file {
    int fd;
    bool is_new; /* the file is renamed to `path` when it is closed */
    char name[PATH_MAX], path[PATH_MAX];
};

/* Opens the file that a pattern expands to, for its owner alone, never through a symbolic link. Refuses a
 * profile, which may be mapped by another process, and another user's file, whose owner could read the
 * report. Returns 0, or an errno with the reason in *why; `path` is set in any case. */
int report_file_open(struct report_file *, const char *pattern, const char **why);

/* error: of the writing. If there was one, the previous file stays. Returns 0 or an errno. */
int report_file_close(struct report_file *, int error);

/* ---- The option report. */

bool report_path_is_wanted(void);

/* Notes the working directory, which relative paths of options start from. */
void report_path_begin(void);

/* Checks whether a report can be written to the option's path, and says so if not. */
void report_path_try(const char *pattern);

/* Opens the file of a report or graph. number: is appended to the path; 0: for the one at exit. */
int report_path_open(struct report_file *, const char *pattern, uint32_t number, const char **why);

/* Gives the report its path and overwrites nobody's report: a forked child appends its process id unless the
 * path has %p, and an exit report that another process wrote since this one started is kept by adding a
 * number to this one's path. */
int report_path_close(struct report_file *, int error);

/* report_say(part, ...) writes a line about the program. If the report goes to a file, the line goes to that
 * file, so that the standard error of a program that is compared stays clean; the report later replaces the
 * file and includes the line's content. Otherwise the line goes to standard error. Safe in signal handlers,
 * also if the process is killed right after it. */
#define report_say(...) report_say_parts((const char *const[]){__VA_ARGS__, NULL})
void report_say_parts(const char *const *parts);

/* Returns whether an unusable path was reported. */
bool report_path_is_reported(void);

/* ---- Snapshots of which blocks point to which (allocsite-graph(5)). A snapshot has words, roots, types and
 * sites. Readers find the names of fields and variables. */

/* Stops all threads while allocsite-dump copies the process, and waits until the snapshot is written. path: a
 * pattern like the option report's. Reports failures on standard error. Returns 0 or an errno. */
int snapshot_write_to(const char *path);

/* ---- The option graph. */

bool snapshot_is_wanted(void);

/* number: counts the signals that ask for a snapshot; 0: at the end of the process. */
void snapshot_write_wanted(uint32_t number);

#endif
