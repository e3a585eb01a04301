/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What allocsite-dump report is asked to show. */
#ifndef ALLOCSITE_DUMP_COMMANDS_REPORT_H
#define ALLOCSITE_DUMP_COMMANDS_REPORT_H

#include "dump/commands/commands.h"
#include "dump/view/views.h"

extern const struct view_row {
    const char *flag, *takes;
    unsigned formats, looks_up;
    show_function *show;
} view_rows[VIEWS];

/* What is shown if nothing is asked for. */
void report_default(struct showing *);

/* As arguments_take: ARGUMENTS_TAKEN, or the status to end with. */
int report_options(struct showing *, int count, char **arguments);

/* The same for what is left, of the command: shows the files that stand behind the options. */
int report_files(struct showing *, const char *command, int count, char **arguments);

/* ---- The same options as keys of ALLOCSITE_OPTIONS, for exit-report. */

bool report_key_is_known(struct setting_value name);

/* Returns NULL, or what is wrong with the value. */
const char *report_take_key(struct showing *, struct setting_value name, struct setting_value value);

/* Of exit-report: standard input could not be read or standard output not written, which has been told. */
enum { STATUS_NOT_WRITTEN = 3 };

/* Whether they go together. STATUS_DONE, or the status to end with. */
int report_check_keys(struct showing *);

/* Shows the profile that is standard input. is_end: its process waits and will end then. only: the
 * options that nothing but the report itself can have wrong, as text; NULL: there are none. STATUS_USAGE: the
 * options do not go together, or ask for what was not counted. */
int report_standard_input(struct showing *, bool is_end, const char *only);

/* STATUS_USAGE: it is for no terminal, but goes to one, and that was told. */
int export_check(const struct showing *);

#endif
