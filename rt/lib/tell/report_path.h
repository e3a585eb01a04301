/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of reports. */
#ifndef ALLOCSITE_LIB_TELL_REPORT_PATH_H
#define ALLOCSITE_LIB_TELL_REPORT_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Whether it was said that the path does not work. */
bool report_path_is_told(void);

#endif
