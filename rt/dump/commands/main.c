/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump: reads profiles, recordings, processes and site tables. */
#include "base/words.h"
#include "dump/base/files.h"
#include "dump/base/terminal.h"
#include "dump/commands/commands.h"
#include "model/options.h"

#include <limits.h>
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

static int main_help(void) {
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

static int main_unknown_word(const char *word) {
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

/* ---- Manual pages. They are in share/man beside the folder of allocsite-dump, in an installation as in a
 * build tree, so man shows them although they may not be in its path. */

static const char sections[] = "7153"; /* in the order of the search */

/* Writes the path of the installation, two names above the executable. */
static bool find_prefix(char *prefix, size_t size) {
    ssize_t length = readlink("/proc/self/exe", prefix, size - 1);
    prefix[length > 0 ? length : 0] = '\0';
    for (int names = 0; names < 2; names++) {
        char *slash = strrchr(prefix, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    return true;
}

static bool find_page(char *path, size_t size, const char *prefix, const char *name) {
    for (const char *section = sections; *section; section++)
        for (int is_packed = 0; is_packed <= 1; is_packed++) {
            int length = snprintf(path, size, "%s/share/man/man%c/%s.%c%s", prefix, *section, name, *section,
                                  is_packed ? ".gz" : "");
            if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
                return true;
        }
    return false;
}

/* Replaces this process by man with the page of the topic: "tutorial", "allocsite", ... Returns an exit
 * status after an error message. */
static int show_page(const char *topic) {
    char prefix[PATH_MAX], path[PATH_MAX], name[64];
    const char *form = strncmp(topic, "allocsite", strlen("allocsite")) == 0 ? "%s" : "allocsite-%s";
    int length = snprintf(name, sizeof name, form, topic);
    if (length < 0 || (size_t)length >= sizeof name || !find_prefix(prefix, sizeof prefix) ||
        !find_page(path, sizeof path, prefix, name))
        return main_unknown_word(topic);
    execlp("man", "man", "-l", path, NULL);
    return complain_file(path, "man, which shows this page, cannot be started");
}

/* ---- Choosing a command. */

static int help_of(int count, char **arguments) {
    static char option[] = "--help", *asked[] = {NULL, option, NULL};
    const struct command *command = count > 2 ? find_command(arguments[2]) : NULL;
    if (count < 3)
        return main_help();
    if (strcmp(arguments[2], "options") == 0)
        return help_options();
    asked[0] = arguments[2];
    if (command)
        return command->function(2, asked);
    return show_page(arguments[2]);
}

static int run_command(int count, char **arguments) {
    if (count < 2)
        return complain_usage("no command and no file");
    const char *first = arguments[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return main_help();
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
        return main_unknown_word(first);
    return show_files(count, arguments);
}

/* glibc maps blocks from this size on separately. Only such blocks grow without being copied, and return to
 * the system when they are freed. glibc's default raises this threshold after the first free of a mapping,
 * which costs a tenth more memory for large reports. */
enum { MAPPED_FROM = 256 << 10 };

/* SIGPIPE ends the program, because a reader of a pipe such as head needs no more output. */
int main(int count, char **arguments) {
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    return standard_out_status(run_command(count, arguments));
}
