/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of allocsite-dump report. */
#ifndef ALLOCSITE_DUMP_COMMANDS_REPORT_H
#define ALLOCSITE_DUMP_COMMANDS_REPORT_H

#include "dump/commands/commands.h"
#include "dump/view/views.h"

extern const struct view_row {
    const char *flag, *takes;
    unsigned formats, looks_up;
    show_function *show;
} view_rows[VIEWS];

/* Sets the defaults. */
void report_default(struct showing *);

/* As arguments_take: ARGUMENTS_TAKEN, or an exit status. */
int report_options(struct showing *, int count, char **arguments);

/* The same for the other arguments: shows the files after the options. Returns an exit status. */
int report_files(struct showing *, const char *command, int count, char **arguments);

/* ---- The same options as keys of ALLOCSITE_OPTIONS, for exit-report. */

bool report_key_is_known(struct setting_value name);

/* Returns NULL or an error message. */
const char *report_take_key(struct showing *, struct setting_value name, struct setting_value value);

/* Exit status of exit-report if standard input or output failed, and if the program leaks. */
enum { STATUS_NOT_WRITTEN = 3, STATUS_LEAKS = 4 };

/* Checks the combination of options. STATUS_DONE, or an exit status. */
int report_check_keys(struct showing *);

/* Shows the profile on standard input. is_end: its process waits and will end. only: text of the options that
 * belong to the report alone; NULL: none. STATUS_USAGE: the options contradict each other or need uncounted
 * data. */
int report_standard_input(struct showing *, bool is_end, const char *only);

/* STATUS_USAGE after an error message: binary output would go to a terminal. */
int export_check(const struct showing *);

#endif
