/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Exit statuses, complaints and reasons: the commands of allocsite-dump share them. */
#ifndef ALLOCSITE_DUMP_BASE_COMPLAIN_H
#define ALLOCSITE_DUMP_BASE_COMPLAIN_H

#include <stdbool.h>

enum status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* A command gets its own name as arguments[0] and returns an exit status. One file each. */
typedef int command_function(int count, char **arguments);

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

#endif
