/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump: reads profiles, recordings, processes and site tables. */
#include "base/words.h"
#include "dump/base/files.h"
#include "dump/base/terminal.h"
#include "dump/commands/commands.h"
#include "model/options.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct command {
    const char *name;
    command_function *function;
    const char *help;
} commands[] = {
    {"sites", command_sites, "the allocation sites of executables, libraries, objects and archives"},
    {"report", command_report, "what programs allocated, from their profiles"},
    {"annotate", command_annotate, "the source with the counts of its lines in the margin"},
    {"export", command_export, "a report for other viewers: pprof, dhat, speedscope, ..."},
    {"merge", command_merge, "add up many profiles in one"},
    {"diff", command_diff, "what changed from one report to another"},
    {"check", command_check, "whether a report keeps a budget of allocations"},
    {"graph", command_graph, "which objects of a process or snapshot hold which"},
    {"top", command_top, "a running program, refreshed every second"},
    {"record", command_record, "a running program over time, into a file"},
    {"serve", command_serve, "a report over HTTP: a page, for Prometheus, for go tool pprof"},
    {"start", command_control, "make a running process start counting"},
    {"stop", command_control, "make a running process stop counting"},
    {"reset", command_control, "set the counters of a running process to zero"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static int help(void) {
    puts("usage: allocsite-dump COMMAND [OPTION...] FILE...\n"
         "       allocsite-dump [OPTION...] FILE...    sites of ELF files, else report\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].help);
    puts("\nallocsite-dump help COMMAND and man allocsite-dump-COMMAND describe a command,\n"
         "allocsite-dump help options lists the keys of ALLOCSITE_OPTIONS,\n"
         "allocsite-dump help tutorial, or another page's name, shows the manual.\n\n"
         "examples:\n"
         "  allocsite-dump ./app                        which lines of app allocate\n"
         "  allocsite-dump app.profile                  what they allocated\n"
         "  allocsite-dump report --leaks app.profile   blocks that are live at the end\n"
         "  allocsite-dump diff old.profile new.profile   what changed");
    return STATUS_DONE;
}

/* Commands for the runtime only. */
static const struct command of_runtime[] = {{"exit-report", command_exit_report, NULL},
                                            {"search", command_search, NULL}};

static const struct command *find_command(const char *name) {
    for (size_t i = 0; i < sizeof of_runtime / sizeof *of_runtime; i++)
        if (strcmp(of_runtime[i].name, name) == 0)
            return &of_runtime[i];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* True if the argument is a file. Another word is taken for a mistyped command. */
static bool is_file(const char *name) {
    return access(name, F_OK) == 0 || strchr(name, '/') || strcmp(name, "-") == 0;
}

/* True for executables, libraries, objects and archives, which have a site table. Any other file was written
 * by a run. Pipes can be read only once and never have a table. */
static bool has_table(const char *path) {
    char magic[4] = "";
    struct stat status;
    if (strcmp(path, "-") == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
        return false;
    FILE *file = fopen(path, "re");
    bool is_read = file && fread(magic, sizeof magic, 1, file) == 1;
    if (file)
        fclose(file);
    return !is_read ||
           memcmp(magic,
                  "\x7f"
                  "ELF",
                  4) == 0 ||
           memcmp(magic, "!<ar", 4) == 0 || memcmp(magic, "!<th", 4) == 0;
}

/* The first file determines the command. A word that is no file may be the value of an option. */
static int show_files(int count, char **arguments) {
    for (int i = 1; i < count; i++)
        if ((arguments[i][0] != '-' || !arguments[i][1]) && is_file(arguments[i]))
            return (has_table(arguments[i]) ? command_sites : command_report)(count, arguments);
    return command_sites(count, arguments);
}

static int unknown(const char *word) {
    struct similar similar = {.word = word, .length = strlen(word)};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        similar_try(&similar, commands[i].name);
    if (similar.best)
        return complain_usage("%s is neither a command nor a file, did you mean %s?", word, similar.best);
    return complain_usage("%s is neither a command nor a file", word);
}

static int help_options(void) {
    struct out *out = standard_out();
    out_text(out, "ALLOCSITE_OPTIONS=KEY=VALUE:KEY=VALUE... of a run, with these values if not given:\n");
    options_help(out);
    return standard_out_end();
}

static int help_of(int count, char **arguments) {
    static char option[] = "--help", *asked[] = {NULL, option, NULL};
    const struct command *command = count > 2 ? find_command(arguments[2]) : NULL;
    if (count < 3)
        return help();
    if (strcmp(arguments[2], "options") == 0)
        return help_options();
    asked[0] = arguments[2];
    if (command)
        return command->function(2, asked);
    int status = manual_show(arguments[2]);
    return status == MANUAL_NONE ? unknown(arguments[2]) : status;
}

static int run_command(int count, char **arguments) {
    if (count < 2)
        return complain_usage("no command and no file");
    const char *first = arguments[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return help();
    if (strcmp(first, "help") == 0)
        return help_of(count, arguments);
    if (strcmp(first, "--version") == 0)
        return puts("allocsite-dump " ALLOCSITE_VERSION) < 0;
    const struct command *command = find_command(first);
    if (command) {
        complain_command = command->name;
        return command->function(count - 1, arguments + 1);
    }
    if (first[0] != '-' && !is_file(first))
        return unknown(first);
    return show_files(count, arguments);
}

/* Growing arrays move without copying, and freed memory returns to the system, only in separate mappings. By
 * default glibc raises this threshold after the first free of a mapping, which costs a tenth more memory for
 * large reports. */
enum { MAPPED_FROM = 256 << 10 };

/* SIGPIPE ends the program: the reader of a pipe (head) has seen enough. */
int main(int count, char **arguments) {
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    return standard_out_status(run_command(count, arguments));
}
