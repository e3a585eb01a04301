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

/* STATUS_USAGE: it is for no terminal, but goes to one, and that was told. */
int export_check(const struct showing *);

#endif
