/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The commands of allocsite-dump. */
#ifndef ALLOCSITE_DUMP_COMMANDS_COMMANDS_H
#define ALLOCSITE_DUMP_COMMANDS_COMMANDS_H

#include "dump/base/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs a command. The first word is its name. Returns an exit status. */
typedef int command_function(int count, char **words);

command_function command_sites;                                    /* tables.c */
command_function command_control;                                  /* start, stop, reset */
command_function command_report, command_annotate, command_export; /* of reports */
command_function command_merge, command_diff, command_check;
command_function command_graph, command_top, command_record, command_serve;
command_function command_exit_report, command_search; /* started by the runtime */

/* Checks the options of report without a file and sets report_needs. Options that need a recording or a
 * missing file of suppressions are errors. STATUS_DONE, or a status after an error message. */
command_function report_check_options;

/* What a program must have counted for the report. */
extern struct report_needs { bool stacks, pairs, sizes, lifetime, reach; } report_needs;

/* ---- Tables of a command's options. */

/* Stores the value, or the option's own name if it takes no value. Returns NULL, or a description of valid
 * values; a format is unchanged then. */
typedef const char *take_function(void *to, const char *value);

struct argument {
    const char *name;    /* "output" also defines -o */
    int has_value;       /* as in getopt_long; true: required */
    take_function *take; /* NULL: a key of ALLOCSITE_OPTIONS, stored in struct options */
    size_t offset;       /* of the target in the command's options */
};

struct arguments {
    const char *command, *help;
    const struct argument *list; /* ends with an entry without a name */
};

/* Parses the options; optind is the first other argument. Returns ARGUMENTS_TAKEN, or an exit status after
 * help or an error message. */
enum { ARGUMENTS_TAKEN = -1 };
int arguments_take(const struct arguments *, void *options, int count, char **words);

/* The same. *given has a bit for each entry of the list that was given. */
int arguments_take_given(const struct arguments *, void *options, int count, char **words, uint64_t *given);

/* True if the option of that name was given. */
bool arguments_have(const struct argument *list, uint64_t given, const char *name);

/* The options that choose the line of a path, stored in struct line_options, and a test whether one was
 * given. */
bool arguments_have_line(const struct argument *list, uint64_t given);
#define ARGUMENTS_OF_LINE(offset)                                                                            \
    {"line", true, take_line, offset}, {"skip", true, take_skip, offset}, {                                  \
        "stop", true, take_stop, offset                                                                      \
    }
take_function take_line, take_skip, take_stop;

/* Their lines in a command's help. */
#define HELP_OF_LINE                                                                                         \
    "  --line=auto|site|outermost-library\n"                                                                 \
    "  --skip=GLOB,...         choose the line of a path, as in report\n"                                    \
    "  --stop=GLOB,...\n"

/* Returns the format that the path ends with: "markdown" for .md, "pprof" for .pb.gz, else the letters after
 * the last dot. Points into the path or to a constant; "": no dot. Commands with --format and --output take
 * it unless
 * --format is given, and ignore it if they have no such format. */
const char *format_of_path(const char *path);

/* Initial value of a number, to detect whether it was given. */
#define ARGUMENT_NOT_GIVEN UINT64_MAX

take_function take_nothing;     /* for flags that are examined with arguments_have */
take_function take_flag;        /* to a bool */
take_function take_text;        /* const char * */
take_function take_number;      /* uint64_t */
take_function take_positive;    /* the same, but not 0 */
take_function take_size;        /* uint64_t */
take_function take_seconds;     /* uint64_t, nanoseconds */
take_function take_sort;        /* enum measure */
take_function take_by_stack;    /* bool: rows are stacks, not sites */
take_function take_full_names;  /* bool */
take_function take_output_file; /* path of standard_out_to */

#endif
