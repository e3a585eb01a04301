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

/* As arguments_take: ARGUMENTS_TAKEN, or the status to end with. */
int report_options(struct showing *, int count, char **arguments);

#endif
