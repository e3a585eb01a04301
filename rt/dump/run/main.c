/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-run: reports what a command allocates in all its processes, without rebuilding it. */
#include "base/words.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/commands/commands.h"
#include "dump/export/export.h"
#include "dump/findings/findings.h"
#include "dump/load/source.h"
#include "dump/run/attach.h"
#include "dump/run/launch.h"
#include "dump/run/sweep.h"
#include "dump/top/top.h"
#include "model/options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct run {
    struct launch launch;
    unsigned pid;       /* a running process to report; 0: run a command */
    uint64_t duration;  /* nanoseconds to count in it; 0: until it ends, or an interrupt */
    const char *output; /* file of the report; NULL: standard error */
    bool is_live;
    char **options; /* options of the report, after its name and the format derived from the output's name */
    int option_count;
};

/* ---- The report. */

static bool wants_profile(const struct run *run) {
    return run->output && strcmp(format_of_path(run->output), "profile") == 0;
}

/* Calls a command of allocsite-dump with our options and the files. Returns its exit status. */
static int call_command(const struct run *run, command_function *command, char **files, int count) {
    static char report[] = "report", merge[] = "merge", to[] = "-o";
    bool is_merge = command == command_merge;
    char **arguments = memory_zeros((size_t)(run->option_count + count + 4), sizeof *arguments);
    int used = 0;
    arguments[used++] = is_merge ? merge : report;
    if (run->output) {
        arguments[used++] = to;
        arguments[used++] = (char *)(uintptr_t)run->output;
    }
    for (int i = 0; !is_merge && i < run->option_count; i++)
        arguments[used++] = run->options[i];
    for (int i = 0; i < count; i++)
        arguments[used++] = files[i];
    optind = 0;
    int status = command(used, arguments);
    free(arguments);
    return status;
}

static int run_report(const struct run *run, char **files, int count) {
    if (wants_profile(run))
        return call_command(run, command_merge, files, count);
    if (!run->output)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    return call_command(run, command_report, files, count);
}

/* Writes the report in a child process: if the user interrupts it, we still clean up. False: it was not
 * written. */
static bool report_apart(const struct run *run, char **files, int count) {
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        exit(run_report(run, files, count));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    bool is_given_up = WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGPIPE);
    return pid > 0 && (!status || is_given_up);
}

/* False: there is no report, so the profiles are worth keeping. */
static bool report_profiles(const struct run *run, const char *command) {
    struct reason why;
    int count;
    char **files = folder_files(run->launch.directory, &count);
    if (!launch_was_counted(&run->launch)) {
        bool refuses = program_refuses(command, &why);
        complain_file(command, "is not counted: %s", refuses ? why.text : "it left no profile");
    }
    size_t unseen = count > 0 ? launch_unseen(files, (size_t)count) : 0;
    if (unseen)
        complain_file(command,
                      "%zu process%s executed a program that is not counted: it is linked statically, gains "
                      "privileges, or got another environment",
                      unseen, unseen == 1 ? "" : "es");
    bool is_done = count <= 0 || report_apart(run, files, count);
    if (!is_done)
        complain_file(run->launch.directory, "contains the profiles, because there is no report");
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
    return is_done;
}

/* ---- The screen. */

/* Replaces standard input and output by the terminal. `before` receives the old descriptors. */
static void use_terminal(int terminal, int before[2]) {
    for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
        before[fd] = dup(fd);
        dup2(terminal, fd);
    }
}

static void leave_terminal(const int before[2]) {
    fflush(stdout);
    for (int fd = STDIN_FILENO; fd <= STDOUT_FILENO; fd++) {
        dup2(before[fd], fd);
        close(before[fd]);
    }
}

static const struct top_options live = {.view.sort = TOP_BY_RATE, .interval = 1000, .ends = true};

/* A process has a profile some milliseconds after its start, or never. False: the command has ended without
 * one. */
static bool wait_for_profile(struct top *top, const struct launch *launch) {
    const struct timespec moment = {.tv_nsec = 10000000};
    struct reason why;
    while (!top_refresh(top, &why)) {
        if (!launch_runs(launch))
            return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

static void watch_command(const struct launch *launch, int terminal) {
    struct top top = {.path = launch->directory, .is_folder = true};
    int before[2];
    if (!wait_for_profile(&top, launch))
        return;
    use_terminal(terminal, before);
    top_screen(&top, &live);
    leave_terminal(before);
    top_close(&top);
}

static void show_output(int from) {
    char bytes[1 << 14];
    int to = isatty(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;
    lseek(from, 0, SEEK_SET);
    for (ssize_t size; (size = read(from, bytes, sizeof bytes)) > 0;)
        if (write(to, bytes, (size_t)size) != size)
            return;
}

/* ---- A command, or a process that runs. */

static int run_command(struct run *run, char **command) {
    int terminal = run->is_live ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
    run->launch.keeps_output = run->is_live;
    if (run->is_live && terminal < 0)
        complain_usage("--live: there is no terminal");
    if ((run->is_live && terminal < 0) || !launch_prepare(&run->launch))
        return LAUNCH_FAILED;
    bool is_done = true;
    int status = launch_start(&run->launch, command);
    if (!status) {
        if (run->is_live)
            watch_command(&run->launch, terminal);
        status = launch_wait(&run->launch);
        if (run->is_live)
            show_output(run->launch.output);
        is_done = report_profiles(run, command[0]);
    }
    if (is_done)
        launch_clean(&run->launch);
    return status;
}

/* A process that was started without the runtime. */
static int count_in_process(const struct run *run) {
    char name[32], *file = name, *runtime = launch_runtime();
    char *options = memory_text("report=none:profile=none:stopped=1:stack=%ju%s",
                                (uintmax_t)run->launch.stacks, run->launch.options);
    struct attachment attachment = {
        .pid = run->pid, .options = options, .duration = run->duration, .is_live = run->is_live};
    struct reason why;
    bool is_counted = runtime && attach_count(&attachment, runtime, &why);
    snprintf(name, sizeof name, "%u", run->pid);
    int status = is_counted ? STATUS_DONE : runtime ? complain_file(name, "%s", why.text) : STATUS_FAILED;
    snprintf(name, sizeof name, "/proc/self/fd/%d", attachment.counters);
    if (is_counted)
        status = report_apart(run, &file, 1) ? STATUS_DONE : STATUS_FAILED;
    free(options);
    free(runtime);
    return status;
}

static int look_at_process(const struct run *run) {
    if (!attach_is_unneeded(run->pid))
        return count_in_process(run);
    if (run->duration || run->launch.are_stacks_chosen)
        return complain_usage("%s: the process has the runtime, and counts since its start",
                              run->duration ? "--for" : "--stacks");
    char source[64], *sources[] = {source}, name[] = "top", *arguments[] = {name, source, NULL};
    snprintf(source, sizeof source, REPORT_SOURCE_PID "%u", run->pid);
    optind = 0;
    return run->is_live ? command_top(2, arguments) : run_report(run, sources, 1);
}

static int run_help(void) {
    puts("usage: allocsite-run [OPTION...] [--] COMMAND [ARGUMENT...]\n"
         "       allocsite-run [OPTION...] -p PID\n"
         "       allocsite-run --fail-each [OPTION...] [--] COMMAND [ARGUMENT...]\n"
         "\n"
         "Runs a command with the runtime of allocsite preloaded, and writes one report of\n"
         "all its processes. Nothing is rebuilt: rows have the functions and lines of\n"
         "symbols and debug information, and the sites of code that allocsite-clang built.\n"
         "The exit status is the command's.\n"
         "\n"
         "  --stacks=N              keep N calling frames of each allocation (default: 16;\n"
         "                          0: count at the lowest cost, by the immediate caller)\n"
         "  --live                  a live screen while the command runs; its output to\n"
         "                          the terminal comes when the screen closes\n"
         "  -o FILE, --output=FILE  write the report to FILE; its end is a format: .json,\n"
         "                          .csv, .tsv, .md, .html, .pb.gz (pprof), .dhat and\n"
         "                          other formats of allocsite-dump, or .profile for a\n"
         "                          profile; - is standard output\n"
         "  --html                  an HTML page: like -o allocsite.html\n"
         "  -p PID, --pid=PID       count in a running process until Ctrl-C, report, and\n"
         "                          restore it; report it at once if it has the runtime\n"
         "  --for=SECONDS           with -p: count for so long\n"
         "  --fail-each             run the command once for each call path, and make its\n"
         "                          allocation fail; see allocsite-run --fail-each --help\n"
         "  --help, --version\n"
         "\n"
         "All other options are options of allocsite-dump report, with values after =; see\n"
         "allocsite-dump help report. The command counts what they need.\n"
         "\n"
         "examples:\n"
         "  allocsite-run ls -l\n"
         "  allocsite-run --tree -o build.txt make -j4\n"
         "  allocsite-run -o app.profile ./app &&\n"
         "      allocsite-dump report --by=module app.profile\n"
         "  allocsite-run --leaks --stacks=32 ./app\n"
         "  allocsite-run -p $(pidof app) --for=60s");
    return STATUS_DONE;
}

/* The value appended to an option, or the next argument. NULL: there is none. */
static const char *value_of(char **arguments, int *at, size_t length) {
    const char *argument = arguments[*at];
    if (argument[length])
        return argument + length;
    return arguments[*at + 1] ? arguments[++*at] : NULL;
}

static bool set_stacks(struct run *run, const char *argument) {
    const char *value = strchr(argument, '=');
    run->launch.are_stacks_chosen = true;
    return value && !amount_read_all(value + 1, false, &run->launch.stacks) &&
           run->launch.stacks <= LAUNCH_STACKS_MOST;
}

/* "60" or "60s". */
static bool set_duration(struct run *run, const char *argument) {
    const char *value = strchr(argument, '=');
    size_t length = value ? strlen(value + 1) : 0;
    bool has_unit = length && value[length] == 's';
    char *number = memory_text("%.*s", (int)(length - has_unit), value ? value + 1 : "");
    bool is_right = length > has_unit && !take_seconds(&run->duration, number);
    free(number);
    return is_right;
}

static bool is_option(const char *argument, const char *name) {
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && (!argument[length] || argument[length] == '=');
}

/* Returns 0, or an exit status after an error message. */
static int take_option(struct run *run, char **arguments, int *at) {
    char *argument = arguments[*at];
    if (strncmp(argument, "--live=", 7) == 0 || strncmp(argument, "--html=", 7) == 0)
        return complain_usage("%.6s has no value", argument);
    if (strcmp(argument, "--live") == 0)
        run->is_live = true;
    else if (strcmp(argument, "--html") == 0) {
        static char format[] = "--format=html";
        run->options[run->option_count++] = format;
        run->output = run->output ? run->output : "allocsite.html";
    } else if (is_option(argument, "--stacks")) {
        if (!set_stacks(run, argument))
            return complain_usage("--stacks=N takes a number up to %d", LAUNCH_STACKS_MOST);
    } else if (strncmp(argument, "-o", 2) == 0 || strncmp(argument, "--output=", 9) == 0) {
        run->output = value_of(arguments, at, argument[1] == '-' ? 9 : 2);
        if (!run->output)
            return complain_usage("%s needs a file", argument);
    } else if (is_option(argument, "--for")) {
        if (!set_duration(run, argument))
            return complain_usage("--for=SECONDS takes seconds from 0.01 to 86400");
    } else if (strncmp(argument, "-p", 2) == 0 || strncmp(argument, "--pid=", 6) == 0) {
        const char *pid = value_of(arguments, at, argument[1] == '-' ? 6 : 2);
        if (!pid || !report_source_is_pid(pid, &run->pid) || !run->pid)
            return complain_usage("-p needs the number of a process");
    } else
        run->options[run->option_count++] = argument;
    return STATUS_DONE;
}

/* Sets the options without which the report would be refused after the command has run. */
static void set_needs(struct launch *launch) {
    const struct report_needs *needs = &report_needs;
    snprintf(launch->options, sizeof launch->options, "%s%s%s%s", needs->pairs ? ":pairs=1" : "",
             needs->sizes ? ":sizes=1" : "", needs->lifetime ? ":lifetime=1" : "",
             needs->reach ? ":reach=1" : "");
}

/* Returns STATUS_DONE, or an exit status after an error message. */
static int check_output(const char *output) {
    const char *slash = output ? strrchr(output, '/') : NULL;
    char *folder = slash ? memory_text("%.*s", (int)(slash - output) + 1, output) : NULL;
    int status =
        folder && access(folder, F_OK) != 0 ? complain_file(folder, "%s", strerror(errno)) : STATUS_DONE;
    free(folder);
    return status;
}

/* Advances *at past the options, to the command. */
static int take_options(struct run *run, char **arguments, int *at) {
    int status = STATUS_DONE;
    for (; arguments[*at] && arguments[*at][0] == '-' && !status; ++*at) {
        if (strcmp(arguments[*at], "--") == 0) {
            ++*at;
            break;
        }
        status = take_option(run, arguments, at);
    }
    status = status ?: call_command(run, report_check_options, NULL, 0) ?: check_output(run->output);
    if (status)
        return status;
    if (report_needs.stacks && !run->launch.stacks)
        return complain_usage("the report needs stacks, and --stacks=0 keeps none");
    report_needs.reach &= !run->pid; /* blocks from before are unknown */
    set_needs(&run->launch);
    if (run->duration && !run->pid)
        return complain_usage("--for without -p");
    if (!run->pid == !arguments[*at])
        return complain_usage(run->pid ? "both a process and a command" : "no command");
    return STATUS_DONE;
}

int main(int count, char **arguments) {
    struct run run = {.launch.stacks = LAUNCH_STACKS_DEFAULT,
                      .options = memory_zeros((size_t)count, sizeof *run.options)};
    int at = 1;
    complain_program = "allocsite-run";
    if (count > 1 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0))
        return standard_out_status(run_help());
    if (count > 1 && strcmp(arguments[1], "--version") == 0)
        return standard_out_status(puts("allocsite-run " ALLOCSITE_VERSION) < 0);
    if (sweep_is_wanted(arguments))
        return sweep_command(count, arguments);
    if (take_options(&run, arguments, &at))
        return LAUNCH_FAILED;
    int status = run.pid ? look_at_process(&run) : run_command(&run, arguments + at);
    free(run.options);
    return status;
}
