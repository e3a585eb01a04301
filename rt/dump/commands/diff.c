/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump diff: compares two runs. */
#include "dump/compare/diff.h"
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/html/html.h"
#include "dump/view/tree.h"
#include "write/lines.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

struct diff_options {
    struct diff_limits limits;
    enum measure sort;
    enum report_format format;
    bool is_page, has_exit_code, is_by_stack;
    struct line_options line;
};

static int show_diff(const struct diff *diff, const struct loaded *old, const struct loaded *new,
                     const struct diff_options *options, struct symbolizer *names) {
    const struct html page = {
        .report = new->report, .diff = diff, .symbolizer = names, .is_by_stack = options->is_by_stack};
    if (options->is_page) {
        line_directory(new->report);
        html_write(standard_out(), &page);
    } else {
        line_names(new->report, old->report);
        (options->format == FORMAT_JSON ? diff_json : diff_text)(standard_out(), diff, old, new,
                                                                 &options->limits);
    }
    int status = standard_out_end();
    if (options->has_exit_code && diff->differs)
        status |= STATUS_FAILED;
    return old->is_lawful && new->is_lawful ? status : STATUS_FAILED;
}

static int compare_reports(const struct loaded *old, const struct loaded *new,
                           const struct diff_options *options, struct symbolizer *names) {
    struct diff diff;
    diff_make(&diff, old->report, new->report, options->sort);
    int status = show_diff(&diff, old, new, options, names);
    diff_free(&diff);
    return status;
}

static int compare_stacks(struct loaded *old, struct loaded *new, const struct diff_options *options,
                          struct symbolizer *names) {
    struct by_stack old_rows, new_rows;
    if (laws_need_stacks(old->path, old->report->walks.depth) |
        laws_need_stacks(new->path, new->report->walks.depth))
        return STATUS_FAILED;
    by_stack_make(&old_rows, old->report, names);
    by_stack_make(&new_rows, new->report, names);
    old->report = &old_rows.report;
    new->report = &new_rows.report;
    int status = compare_reports(old, new, options, names);
    by_stack_free(&old_rows);
    by_stack_free(&new_rows);
    return status;
}

static int compare_files(const char *old_path, const char *new_path, const struct diff_options *options) {
    struct loaded old, new;
    struct symbolizer names = {.is_quiet = true, .line = options->line};
    bool has_old = loaded_open(&old, old_path, &names), has_new = loaded_open(&new, new_path, &names);
    int status = !has_old || !has_new   ? STATUS_FAILED
                 : options->is_by_stack ? compare_stacks(&old, &new, options, &names)
                                        : compare_reports(&old, &new, options, &names);
    if (has_old)
        loaded_close(&old);
    if (has_new)
        loaded_close(&new);
    symbolizer_free(&names);
    return status;
}

static const char help[] =
    "usage: allocsite-dump diff [OPTION...] OLD NEW\n"
    "\n"
    "Shows which sites changed from the report OLD to the report NEW, the largest\n"
    "change first. Sites are the same if their ids are equal. In edited code they are\n"
    "the same if function, callee and file are equal, in the order of the code.\n"
    "Either file may be - for standard input.\n"
    "\n"
    "  --by=site|stack                  stack: compare call paths\n"
    "  --format=text|json|html          html: one page, with all rows\n"
    "  -o FILE, --output=FILE           write to FILE\n"
    "  --sort=bytes|allocs|live|peak    the change to sort by (default: bytes)\n"
    "  --top=N                          rows (0: all; default: 20 in text, else all)\n"
    "  --min-bytes=SIZE                 hide rows whose bytes, live and peak changed\n"
    "                                   by less\n"
    "  --all                            show rows without a change as well\n"
    "  --exit-code                      exit with 1 if any count differs, in hidden\n"
    "                                   rows too; lines, ids, names, sizes and pairs\n"
    "                                   do not count\n" HELP_OF_LINE "\n"
    "examples:\n"
    "  allocsite-dump diff before.profile after.profile\n"
    "  allocsite-dump diff --sort=peak --min-bytes=64KiB before.profile after.profile\n"
    "  allocsite-dump diff --exit-code --format=json before.profile after.profile";

static const char *take_format(void *to, const char *value) {
    struct diff_options *options = to;
    options->is_page = strcmp(value, "html") == 0;
    bool is_right = options->is_page ||
                    format_named(value, strlen(value), 1 << FORMAT_TEXT | 1 << FORMAT_JSON, &options->format);
    return is_right ? NULL : "text, json or html";
}

#define AT(member) offsetof(struct diff_options, member)
static const struct argument list[] = {
    {"by", true, take_by_stack, AT(is_by_stack)},
    {"format", true, take_format, 0},
    {"sort", true, take_sort, AT(sort)},
    {"top", true, take_number, AT(limits.top)},
    {"min-bytes", true, take_size, AT(limits.min_bytes)},
    {"all", false, take_flag, AT(limits.all)},
    {"exit-code", false, take_flag, AT(has_exit_code)},
    {"output", true, take_output_file, 0},
    ARGUMENTS_OF_LINE(AT(line)),
    {0},
};

int command_diff(int count, char **arguments) {
    struct diff_options options = {.limits.top = ARGUMENT_NOT_GIVEN};
    int status = arguments_take(&(struct arguments){"diff", help, list}, &options, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (options.limits.top == ARGUMENT_NOT_GIVEN)
        options.limits.top = format_is_for_programs(options.format) ? 0 : 20;
    if (count - optind != 2)
        return complain_usage("diff: needs two files, OLD and NEW");
    if (strcmp(arguments[optind], "-") == 0 && strcmp(arguments[optind + 1], "-") == 0)
        return complain_usage("diff: only one file can be standard input");
    return compare_files(arguments[optind], arguments[optind + 1], &options);
}
