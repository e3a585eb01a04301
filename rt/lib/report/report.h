/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When reports are written, and where to: at exit, at a signal, on demand, in time for what ends the process.
 */
#ifndef ALLOCSITE_LIB_REPORT_REPORT_H
#define ALLOCSITE_LIB_REPORT_REPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- When reports are written: at exit, at a signal, in time for what ends the process. */

/* Has the report written when the process exits. */
void exit_install(void);

/* The same at once, in the shared library: nothing of the program comes after it. */
void exit_now(void);

/* The process is about to end by _exit, which is not to flush stdio. Writes the report if there was none, or
 * in a signal handler a line that says where the counts are, unless fatal=1. */
void exit_at_once(int status);

/* ... or by this signal. */
void exit_by_signal(int number);

/* ---- Faults of the program: a line at once for each of the first ones, by report_say. */

void faults_begin(void);

/* ---- A report at a signal (option signal). */

/* From here on. number: of the signal. */
void signal_report_begin(int number);

/* At each signal of that number counting starts or stops. */
void signal_start_begin(int number);

/* Has signals that end the process reported, and noted in the profile. Those that the program ignores or has
 * a handler for stay as they are. */
void signal_fatal_begin(void);

/* ---- Files of reports. */

struct report_file {
    int fd;
    bool is_new; /* and has its name when it is closed */
    char name[PATH_MAX], path[PATH_MAX];
};

/* Opens the file that a pattern stands for, for its owner alone, never through a symbolic link; not a
 * profile, which somebody may have mapped, nor another user's file, who could read what is written. 0 or
 * errno, and *why says why; path tells where in any case. */
int report_file_open(struct report_file *, const char *pattern, const char **why);

/* error: of what was written; if there was one, what was there stays. 0 or errno. */
int report_file_close(struct report_file *, int error);

/* ---- The option report. */

bool report_path_is_wanted(void);

/* Paths of options that are no absolute ones are relative to where the process is now. */
void report_path_begin(void);

/* Tries the option's path, relative to where the process is now, and says so if it does not work. */
void report_path_try(const char *pattern);

/* The file of a report or graph of a number, which stands behind the path; 0: the one at exit. */
int report_path_open(struct report_file *, const char *pattern, uint32_t number, const char **why);

/* That of a forked child has its process id behind the path if that has none; and what another process has
 * put at the path of the one at exit since this one began stays, for this one's then has a number. */
int report_path_close(struct report_file *, int error);

/* report_say(part, ...): a line about the program. It goes where the report will be, which replaces it and
 * then has what it said, so that a program whose standard error is compared writes nothing there; to standard
 * error if the report goes there or does not have it. Safe in signal handlers, and the process may be killed
 * at once. */
#define report_say(...) report_say_parts((const char *const[]){__VA_ARGS__, NULL})
void report_say_parts(const char *const *parts);

/* Whether it was said that the path does not work. */
bool report_path_is_told(void);

/* ---- A snapshot of which blocks point to which (allocsite-graph(5)), written by the process itself. It
 * tells words and roots, types and sites; what the fields and variables are called readers find out. */

/* All threads stand still until the process has a copy of itself, which writes; the calling one waits for
 * that. path: with the patterns of the option report. What fails is told on standard error. 0 or errno. */
int snapshot_write_to(const char *path);

/* ---- The option graph. */

bool snapshot_is_wanted(void);

/* number: of the signal that it is written at; 0: at the end. */
void snapshot_write_wanted(uint32_t number);

#endif
