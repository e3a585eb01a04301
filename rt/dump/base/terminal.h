/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Output for the user of a terminal: error messages, progress, and paging. */
#ifndef ALLOCSITE_DUMP_BASE_TERMINAL_H
#define ALLOCSITE_DUMP_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* ---- Exit statuses, error messages and reasons, shared by all commands. */

enum status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* Program and command in messages and usage hints. NULL: none. */
extern const char *complain_program, *complain_command;

/* Prints one line on stderr: "allocsite-dump: FILE: what". Control characters in the file's name become '?'.
 * Returns STATUS_FAILED. */
__attribute__((format(printf, 2, 3))) int complain_file(const char *file, const char *format, ...);

/* The same without a file, with a hint how to get help. Returns STATUS_USAGE. */
__attribute__((format(printf, 1, 2))) int complain_usage(const char *format, ...);

/* Reports an option that getopt_long has just rejected and suggests a similar one, or a wrong value and the
 * valid ones. Both return STATUS_USAGE. */
struct option;
int complain_option(const char *command, const struct option *known, char **arguments);
int complain_value(const char *command, const char *option, const char *given, const char *right);

/* ---- Why something could not be read: one line for the user, without the file's name. */

struct reason {
    char text[256];
};

/* Always false, so that a failed check can return it. */
__attribute__((format(printf, 2, 3))) bool reason_set(struct reason *, const char *format, ...);

/* Uses the text of errno. Always false. */
bool reason_errno(struct reason *);

/* ---- Progress: a line on standard error after a second of work, if it is a terminal. It is cleared before a
 * message or standard output is written. */

/* "1,234 of 5,678 files". count: 0 if unknown. Costs one reading of the clock. */
void progress_show(const char *what, uint64_t done, uint64_t count);

/* Clears the line. The next one appears after another second. */
void progress_end(void);

/* Shows no progress from here on, because the terminal is used otherwise. */
void progress_off(void);

/* ---- A pager for standard output on a terminal: ALLOCSITE_PAGER, else PAGER, else less. An empty value or
 * cat means none. */

/* pager_end waits until the user leaves the pager. Nothing may be buffered when paging begins. False: output
 * goes to standard output as before. When the user leaves the pager early, writing fails, which is no
 * error. */
bool pager_begin(void);
void pager_end(void);

#endif
