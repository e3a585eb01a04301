/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump top, start, stop and reset: commands for a running process. */
#include "dump/commands/commands.h"
#include "dump/load/loaded.h"
#include "dump/load/source.h"
#include "dump/process/process.h"
#include "dump/top/top.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- allocsite-dump start, stop, reset. */

static const char *const names[] = {
    [CONTROL_START] = "start", [CONTROL_STOP] = "stop", [CONTROL_RESET] = "reset"};

static int control_help(void) {
    puts("usage: allocsite-dump start|stop|reset PID...\n"
         "\n"
         "Makes running processes start counting, stop counting, or set their counters to\n"
         "zero, like allocsite_start, allocsite_stop and allocsite_reset. No signal is\n"
         "sent and nothing is called in the process.\n"
         "\n"
         "  start   A program with stopped=1 waits for this. A program with enabled=0 can\n"
         "          only be started if it calls allocsite_start itself.\n"
         "  stop    Needs the permission to attach a debugger.\n"
         "  reset   Needs the same. The next thread that allocates or frees does it.\n"
         "\n"
         "examples:\n"
         "  ALLOCSITE_OPTIONS=stopped=1 ./server &\n"
         "  allocsite-dump start $!\n"
         "  allocsite-dump reset $!\n"
         "  allocsite-dump report $!");
    return STATUS_DONE;
}

static enum control control_named(const char *name) {
    enum control what = CONTROL_START;
    while (strcmp(names[what], name) != 0)
        what++;
    return what;
}

int command_control(int count, char **arguments) {
    int status = STATUS_DONE;
    struct reason why;
    unsigned pid;
    if (count > 1 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0))
        return control_help();
    if (count < 2)
        return complain_usage("%s: no process", arguments[0]);
    for (int i = 1; i < count; i++)
        if (!report_source_is_pid(arguments[i], &pid))
            return complain_usage("%s: %s is not the number of a process", arguments[0], arguments[i]);
    for (int i = 1; i < count; i++)
        if (report_source_is_pid(arguments[i], &pid) &&
            !control_process(pid, control_named(arguments[0]), &why))
            status = complain_file(arguments[i], "%s", why.text);
    return status;
}

/* ---- allocsite-dump top. */

static const char help[] = "usage: allocsite-dump top [OPTION...] PID|PROFILE\n"
                           "\n"
                           "Shows what a running program allocates, refreshed until it ends: for each site\n"
                           "the rate since the last refresh, and allocated, live and peak bytes. It reads\n"
                           "the file that the program counts in; the program is not stopped.\n"
                           "\n"
                           "  --by=site|stack                       rows (default: site)\n"
                           "  --sort=rate|bytes|allocs|live|peak    default: rate, of bytes\n"
                           "  --filter=TEXT                         only sites with TEXT in function, file,\n"
                           "                                        callee, type or module\n"
                           "  --interval=SECONDS                    between refreshes (default: 1,\n"
                           "                                        least: 0.01)\n"
                           "  --count=N                             end after N refreshes\n"
                           "  --plain                               print tables, as without a terminal\n"
                           "  --once                                one table, without rates\n"
                           "  --top=N                               rows of a plain table (0: all; default:\n"
                           "                                        20)\n" HELP_OF_LINE "\n"
                           "keys: Enter callers, sizes and frees of a row; b a l p r sort by bytes, allocs,\n"
                           "live, peak, rate; / filter; R reset; space pause; arrows scroll; ? help; q quit\n"
                           "\n"
                           "examples:\n"
                           "  ./app & allocsite-dump top $!\n"
                           "  allocsite-dump top --plain --interval=10 app.profile >> app.log";

struct top_command {
    struct top_options options;
    struct line_options line;
    bool is_plain;
};

static const char *take_view_sort(void *to, const char *value) {
    enum measure *sort = to;
    *sort = TOP_BY_RATE;
    bool is_right = strcmp(value, "rate") == 0 || !take_sort(sort, value);
    return is_right ? NULL : "rate, bytes, allocs, live or peak";
}

static const char *take_filter(void *to, const char *value) {
    struct top_view *view = to;
    if (strlen(value) >= sizeof view->filter)
        return "a text of up to 63 letters";
    strcpy(view->filter, value);
    return NULL;
}

static const char *take_interval(void *to, const char *value) {
    uint64_t nanoseconds;
    const char *right = take_seconds(&nanoseconds, value);
    *(unsigned *)to = (unsigned)(nanoseconds / 1000000);
    return right;
}

static const char *take_once(void *to, const char *value) {
    struct top_command *command = to;
    command->options.count = 1;
    return take_flag(&command->is_plain, value);
}

#define AT(member) offsetof(struct top_command, member)
static const struct argument list[] = {
    {"by", true, take_by_stack, AT(options.is_by_stack)},
    {"sort", true, take_view_sort, AT(options.view.sort)},
    {"filter", true, take_filter, AT(options.view)},
    {"interval", true, take_interval, AT(options.interval)},
    {"count", true, take_positive, AT(options.count)},
    {"plain", false, take_flag, AT(is_plain)},
    {"once", false, take_once, 0},
    {"top", true, take_number, AT(options.rows)},
    ARGUMENTS_OF_LINE(AT(line)),
    {0},
};

static int show_top(const char *path, const struct top_command *command) {
    struct top top = {.path = path, .is_by_stack = command->options.is_by_stack, .names.line = command->line};
    struct reason why;
    if (!top_refresh(&top, &why))
        return complain_file(path, "%s", why.text);
    if (top.is_by_stack)
        laws_need_stacks(path, top_report(&top)->walks.depth);
    int damage = laws_need_whole(path, top.now->source.report);
    int status = (command->is_plain ? top_tables : top_screen)(&top, &command->options);
    top_close(&top);
    return damage ? damage : status;
}

int command_top(int count, char **arguments) {
    struct top_command command = {.options = {.view.sort = TOP_BY_RATE, .interval = 1000, .rows = 20},
                                  .is_plain = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)};
    int status = arguments_take(&(struct arguments){"top", help, list}, &command, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (count - optind != 1)
        return complain_usage("top: %s", optind == count ? "no process and no profile" : "more than one");
    return show_top(arguments[optind], &command);
}
