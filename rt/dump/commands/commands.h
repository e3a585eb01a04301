/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The commands of allocsite-dump. */
#ifndef ALLOCSITE_DUMP_COMMANDS_COMMANDS_H
#define ALLOCSITE_DUMP_COMMANDS_COMMANDS_H

#include "dump/base/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A command gets its own name as its first word and returns an exit status. */
typedef int command_function(int count, char **words);

command_function command_sites;                                    /* tables.c */
command_function command_control;                                  /* start, stop, reset */
command_function command_report, command_annotate, command_export; /* of what programs have counted */
command_function command_merge, command_diff, command_check;
command_function command_graph, command_top, command_record, command_serve;
command_function command_exit_report, command_search; /* of the runtime */

/* Whether the options of report are right, which may stand without a file; else what is wrong has been told.
 */
command_function report_check_options;

/* ---- The options of a command, as a table. */

/* Takes the value, or of an option that has none its own name. NULL, or what would be right instead, for the
 * user. */
typedef const char *take_function(void *to, const char *value);

struct argument {
    const char *name;    /* "output" is -o as well */
    int has_value;       /* as in getopt; true: it must */
    take_function *take; /* NULL: it is a key of ALLOCSITE_OPTIONS as well, and taken to struct options */
    size_t offset;       /* of what it is taken to, in the options of the command */
};

struct arguments {
    const char *command, *help;
    const struct argument *list; /* up to one without a name */
};

/* Takes the options; what else there is begins at optind. ARGUMENTS_TAKEN, or the status to end with: the
 * help has been shown, or what is wrong has been told. */
enum { ARGUMENTS_TAKEN = -1 };
int arguments_take(const struct arguments *, void *options, int count, char **words);

/* The same, and *given: a bit for each of the list that was given. */
int arguments_take_given(const struct arguments *, void *options, int count, char **words, uint64_t *given);

/* Whether the option of that name was given. */
bool arguments_have(const struct argument *list, uint64_t given, const char *name);

/* The options that say which line of a path is shown, to struct line_options; and whether one was given. */
bool arguments_have_line(const struct argument *list, uint64_t given);
#define ARGUMENTS_OF_LINE(offset)                                                                            \
    {"line", true, take_line, offset}, {"skip", true, take_skip, offset}, {                                  \
        "stop", true, take_stop, offset                                                                      \
    }
take_function take_line, take_skip, take_stop;

/* Their lines in a command's help. */
#define HELP_OF_LINE                                                                                         \
    "  --line=auto|site|outermost-library\n"                                                                 \
    "  --skip=GLOB,...         which line of a path is shown, as in report\n"                                \
    "  --stop=GLOB,...\n"

/* What a command puts where a number may be taken to, to know whether one was. */
#define ARGUMENT_NOT_GIVEN UINT64_MAX

take_function take_nothing;     /* who asks looks at what was given */
take_function take_flag;        /* to a bool */
take_function take_text;        /* const char * */
take_function take_number;      /* uint64_t */
take_function take_positive;    /* the same, but not 0 */
take_function take_size;        /* uint64_t */
take_function take_seconds;     /* uint64_t, nanoseconds */
take_function take_sort;        /* enum measure */
take_function take_by_stack;    /* bool: rows are stacks, not sites */
take_function take_full_names;  /* bool */
take_function take_output_file; /* of the command */

#endif
