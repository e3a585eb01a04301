/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump diff: what changed from one run to another. */
#include "dump/compare/diff.h"
#include "base/amount.h"
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/html/html.h"
#include "write/line.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct diff_options {
    struct diff_limits limits;
    enum measure sort;
    enum report_format format;
    bool is_page, is_top_given, has_exit_code;
};

static int show(const struct diff *diff, const struct loaded *old, const struct loaded *new,
                const struct diff_options *options, const struct symbolizer *names) {
    const struct html page = {.report = new->report, .diff = diff, .symbolizer = names};
    if (options->is_page) {
        line_directory(new->report);
        html_write(standard_out(), &page);
    } else
        (options->format == FORMAT_JSON ? diff_json : diff_text)(standard_out(), diff, old, new,
                                                                 &options->limits);
    int status = standard_out_end();
    if (options->has_exit_code && diff->differs)
        status |= STATUS_FAILED;
    return old->is_lawful && new->is_lawful ? status : STATUS_FAILED;
}

static int compare(const struct loaded *old, const struct loaded *new, const struct diff_options *options,
                   const struct symbolizer *names) {
    struct diff diff;
    diff_make(&diff, old->report, new->report, options->sort);
    int status = show(&diff, old, new, options, names);
    diff_free(&diff);
    return status;
}

static int compare_files(const char *old_path, const char *new_path, const struct diff_options *options) {
    struct loaded old, new;
    struct symbolizer names = {.is_quiet = true};
    bool has_old = loaded_open(&old, old_path, &names), has_new = loaded_open(&new, new_path, &names);
    int status = has_old && has_new ? compare(&old, &new, options, &names) : STATUS_FAILED;
    if (has_old)
        loaded_close(&old);
    if (has_new)
        loaded_close(&new);
    symbolizer_free(&names);
    return status;
}

static int help(void) {
    puts("usage: allocsite-dump diff [OPTION...] OLD NEW\n"
         "\n"
         "Shows which allocation sites changed from the report OLD to the report NEW, the\n"
         "largest change first. Sites are the same if their ids are; where the code was\n"
         "edited, if function, callee and file are, in the order of the code. Either file\n"
         "may be - for standard input.\n"
         "\n"
         "  --format=text|json|html          html: one file to look at, with all rows\n"
         "  -o FILE, --output=FILE           write there\n"
         "  --sort=bytes|allocs|live|peak    whose change is the largest (default: bytes)\n"
         "  --top=N                          rows (0: all; default: 20 in text, else all)\n"
         "  --min-bytes=SIZE                 hide rows whose bytes, live and peak changed\n"
         "                                   by less\n"
         "  --all                            show rows without a change as well\n"
         "  --exit-code                      exit with 1 if anything that was counted\n"
         "                                   differs: a row is new or gone, or in a row or\n"
         "                                   in total the number or the bytes of allocs,\n"
         "                                   reallocs, frees, moved, live, peak, inherited\n"
         "                                   or lost blocks, the failed calls or the most\n"
         "                                   live blocks. Not: lines, ids, names, sizes,\n"
         "                                   pairs, and what is hidden counts all the same\n"
         "\n"
         "examples:\n"
         "  allocsite-dump diff before.json after.json\n"
         "  allocsite-dump diff --sort=peak --min-bytes=64KiB before.json after.json\n"
         "  allocsite-dump diff --exit-code --format=json before.json after.json");
    return STATUS_DONE;
}

/* Beside the letters. */
enum { FORMAT = 256, SORT, TOP, MIN_BYTES, ALL, EXIT_CODE };

static const struct option long_options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"sort", required_argument, NULL, SORT},
    {"top", required_argument, NULL, TOP},
    {"min-bytes", required_argument, NULL, MIN_BYTES},
    {"all", no_argument, NULL, ALL},
    {"exit-code", no_argument, NULL, EXIT_CODE},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char *right_values(int option) {
    switch (option) {
    case FORMAT:
        return "text, json or html";
    case SORT:
        return "bytes, allocs, live or peak";
    case TOP:
        return "a number";
    default:
        return "a size, as 4096 or 64KiB";
    }
}

static bool set_option(struct diff_options *options, int option, const char *value) {
    switch (option) {
    case FORMAT:
        options->is_page = strcmp(value, "html") == 0;
        return options->is_page || format_named(value, strlen(value), VIEW_DIFF, &options->format);
    case SORT:
        options->sort = measure_named(value, strlen(value));
        return options->sort < MEASURE_SORTS;
    case 'o':
        standard_out_to(value);
        return true;
    case TOP:
        options->is_top_given = true;
        return !amount_read_all(value, false, &options->limits.top);
    case MIN_BYTES:
        return !amount_read_all(value, true, &options->limits.min_bytes);
    case ALL:
        return options->limits.all = true;
    default:
        return options->has_exit_code = true;
    }
}

int command_diff(int count, char **arguments) {
    struct diff_options options = {.limits.top = 20};
    opterr = 0;
    for (int option, index = 0;
         (option = getopt_long(count, arguments, "ho:", long_options, &index)) != -1;) {
        if (option == 'h')
            return help();
        if (option == '?')
            return complain_option("diff", long_options, arguments);
        if (!set_option(&options, option, optarg))
            return complain_value("diff", long_options[index].name, optarg, right_values(option));
    }
    if (format_is_for_programs(options.format) && !options.is_top_given)
        options.limits.top = 0;
    if (count - optind != 2)
        return complain_usage("diff: needs two files, OLD and NEW");
    if (strcmp(arguments[optind], "-") == 0 && strcmp(arguments[optind + 1], "-") == 0)
        return complain_usage("diff: only one of the two can be standard input");
    return compare_files(arguments[optind], arguments[optind + 1], &options);
}
