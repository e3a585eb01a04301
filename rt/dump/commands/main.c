/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump: reads what allocsite leaves behind. */
#include "dump/base/complain.h"
#include "dump/commands/commands.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    command_function *function;
    const char *help;
} commands[] = {
    {"sites", command_sites, "the allocation sites of executables, libraries, objects and archives"},
    {"wrappers", command_wrappers, "the functions whose callers are billed, as a list of allocators"},
    {"report", command_report, "what programs have counted: from profiles, and from reports in JSON"},
    {"merge", command_merge, "many profiles as one"},
    {"diff", command_diff, "what changed from one report to another"},
    {"check", command_check, "whether a report keeps a budget of allocations"},
    {"top", command_top, "what a running program allocates, refreshed"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static int help(void) {
    puts("usage: allocsite-dump COMMAND [OPTION...] FILE...\n"
         "       allocsite-dump ELF...                         the same as allocsite-dump sites ELF...\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].help);
    puts("\nallocsite-dump COMMAND --help tells more of a command.\n\n"
         "examples:\n"
         "  allocsite-dump ./app                     which lines of app allocate\n"
         "  allocsite-dump sites --verify ./app      does the table agree with app's debug information\n"
         "  allocsite-dump report --leaks app.json   what was still allocated when app ended\n"
         "  allocsite-dump diff old.json new.json    what changed from one run to another");
    return STATUS_DONE;
}

static const struct command *find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* A word that names no file was meant as a command. */
static int is_file(const char *name) {
    FILE *file = fopen(name, "re");
    if (file)
        fclose(file);
    return file != NULL || strchr(name, '/') != NULL;
}

int main(int count, char **arguments) {
    /* An output that is closed early (head) is an error of the output, told in one line. */
    signal(SIGPIPE, SIG_IGN);
    if (count < 2)
        return complain_usage("no command and no file");
    const char *first = arguments[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return help();
    if (strcmp(first, "--version") == 0)
        return puts("allocsite-dump " ALLOCSITE_VERSION) < 0 ? STATUS_FAILED : STATUS_DONE;
    const struct command *command = find(first);
    if (command)
        return command->function(count - 1, arguments + 1);
    if (first[0] != '-' && !is_file(first))
        return complain_usage("%s is neither a command nor a file", first);
    return command_sites(count, arguments);
}
