/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump top: what a running program allocates. */
#include "dump/top/top.h"
#include "base/amount.h"
#include "dump/commands/commands.h"
#include "dump/load/loaded.h"
#include "dump/process/process.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int help(void) {
    puts("usage: allocsite-dump top [OPTION...] PID|PROFILE\n"
         "\n"
         "Shows what a running program allocates, refreshed until it ends: for each site\n"
         "the rate since the last refresh, and what was allocated, is live and was live at\n"
         "the peak. The program is not stopped, and nothing is asked of it: what is read\n"
         "is its profile, or its memory if it was started without one. A PROFILE whose\n"
         "name is a number is meant by ./NUMBER.\n"
         "\n"
         "  --sort=rate|bytes|allocs|live|peak    default: rate, of bytes\n"
         "  --filter=TEXT                         only sites with TEXT in function, file,\n"
         "                                        callee, type or module\n"
         "  --interval=SECONDS                    between refreshes, decimals as well\n"
         "                                        (default: 1)\n"
         "  --count=N                             end after N refreshes\n"
         "  --plain                               table after table; so also if the output\n"
         "                                        is no terminal\n"
         "  --once                                one table, without rates: --plain\n"
         "                                        --count=1\n"
         "  --top=N                               rows of a plain table (0: all; default:\n"
         "                                        20)\n"
         "\n"
         "keys: b a l p r sort by bytes, allocs, live, peak, rate; / filter; space pause;\n"
         "arrows scroll; ? help; q quit\n"
         "\n"
         "examples:\n"
         "  ./app & allocsite-dump top $!\n"
         "  allocsite-dump top --plain --interval=10 app.profile >> app.log");
    return STATUS_DONE;
}

/* Beside the letters. */
enum { SORT = 256, FILTER, INTERVAL, COUNT, PLAIN, ONCE, TOP };

static const struct option long_options[] = {
    {"sort", required_argument, NULL, SORT},
    {"filter", required_argument, NULL, FILTER},
    {"interval", required_argument, NULL, INTERVAL},
    {"count", required_argument, NULL, COUNT},
    {"plain", no_argument, NULL, PLAIN},
    {"once", no_argument, NULL, ONCE},
    {"top", required_argument, NULL, TOP},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool set_sort(struct top_view *view, const char *value) {
    view->sort = strcmp(value, "rate") == 0 ? TOP_BY_RATE : measure_named(value, strlen(value));
    return strcmp(value, "rate") == 0 || view->sort < MEASURE_SORTS;
}

static bool set_filter(struct top_view *view, const char *value) {
    if (strlen(value) >= sizeof view->filter)
        return false;
    strcpy(view->filter, value);
    return true;
}

static bool set_interval(unsigned *interval, const char *value) {
    char *end;
    double seconds = strtod(value, &end);
    *interval = seconds >= 0.01 && seconds <= 86400 ? (unsigned)(seconds * 1000) : 0;
    return *interval && !*end;
}

static const char *right_values(int option) {
    switch (option) {
    case SORT:
        return "rate, bytes, allocs, live or peak";
    case FILTER:
        return "a text of up to 63 letters";
    case INTERVAL:
        return "seconds from 0.01 to 86400";
    default:
        return "a number";
    }
}

static bool set_option(struct top_options *options, bool *is_plain, int option, const char *value) {
    switch (option) {
    case SORT:
        return set_sort(&options->view, value);
    case FILTER:
        return set_filter(&options->view, value);
    case INTERVAL:
        return set_interval(&options->interval, value);
    case COUNT:
        return !amount_read_all(value, false, &options->count) && options->count;
    case TOP:
        return !amount_read_all(value, false, &options->rows);
    case ONCE:
        options->count = 1;
        return *is_plain = true;
    default:
        return *is_plain = true;
    }
}

static int show(const char *path, const struct top_options *options, bool is_plain) {
    struct top top = {.path = path};
    struct reason why;
    if (!top_refresh(&top, &why))
        return complain(path, "%s", why.text);
    int damage = laws_need_whole(path, top.now->source.report);
    int status = (is_plain ? top_tables : top_screen)(&top, options);
    top_close(&top);
    return damage ? damage : status;
}

/* The profile of a process stays when it ends, and what it has counted last is there: so its path is looked
 * for once. */
static int show_named(const char *name, const struct top_options *options, bool is_plain) {
    char path[PROCESS_PATH_SIZE];
    unsigned pid;
    if (!report_source_is_pid(name, &pid))
        return show(name, options, is_plain);
    if (!process_profile(pid, path))
        snprintf(path, sizeof path, REPORT_SOURCE_PID "%u", pid);
    return show(path, options, is_plain);
}

int command_top(int count, char **arguments) {
    struct top_options options = {.view.sort = TOP_BY_RATE, .interval = 1000, .rows = 20};
    bool is_plain = !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO);
    opterr = 0;
    for (int option, index; (option = getopt_long(count, arguments, "h", long_options, &index)) != -1;) {
        if (option == 'h')
            return help();
        if (option == '?')
            return complain_option("top", long_options, arguments);
        if (!set_option(&options, &is_plain, option, optarg))
            return complain_value("top", long_options[index].name, optarg, right_values(option));
    }
    if (count - optind != 1)
        return complain_usage("top: %s", optind == count ? "no process and no profile" : "more than one");
    return show_named(arguments[optind], &options, is_plain);
}
