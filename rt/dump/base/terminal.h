/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the terminal is told: complaints, and how far a command is; and standard output through a pager. */
#ifndef ALLOCSITE_DUMP_BASE_TERMINAL_H
#define ALLOCSITE_DUMP_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/* ---- Exit statuses, complaints and reasons: the commands of allocsite-dump share them. */

enum status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* Who complains, and whose help there is beside the program's own. NULL: nobody's. */
extern const char *complain_program, *complain_command;

/* One line on stderr: "allocsite-dump: FILE: what". Control characters in a file's name become '?'. Returns
 * STATUS_FAILED. */
__attribute__((format(printf, 2, 3))) int complain(const char *file, const char *format, ...);

/* The same without a file, and how to get help. Returns STATUS_USAGE. */
__attribute__((format(printf, 1, 2))) int complain_usage(const char *format, ...);

/* Of the option that getopt_long has just found not to be there, or not to be so: names one that may have
 * been meant. Of a value: what would be right. Return STATUS_USAGE. */
struct option;
int complain_option(const char *command, const struct option *known, char **arguments);
int complain_value(const char *command, const char *option, const char *given, const char *right);

/* ---- Why something could not be read: one line for the user, without the name of the file. */

struct reason {
    char text[256];
};

/* Always false, so that a check that fails can return it. */
__attribute__((format(printf, 2, 3))) bool reason_set(struct reason *, const char *format, ...);

/* What errno says. Always false. */
bool reason_errno(struct reason *);

/* ---- A line on standard error about what a command does once it has taken a second, if that is a terminal.
 * It is gone before anything is complained about or written to standard output. */

/* "1,234 of 5,678 files". count: 0 if it is not known. A call costs a look at the clock. */
void progress(const char *what, uint64_t done, uint64_t count);

/* Clears the line; the next one comes after a second more. */
void progress_end(void);

/* Nothing is shown from here on: somebody else has the terminal. */
void progress_off(void);

/* ---- Standard output through a pager, if it is a terminal: ALLOCSITE_PAGER, else PAGER, else less. An empty
 * one, and cat, is none. */

/* Until pager_end, which waits until the user has seen enough; nothing may be waiting to be written then.
 * False: what is written goes where it went. Else writing fails when the user has ended the pager, which is
 * no error. */
bool pager_begin(void);
void pager_end(void);

#endif
