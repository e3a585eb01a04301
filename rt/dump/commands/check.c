/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump check: checks whether a run kept its budget. */
#include "dump/compare/check.h"
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/findings/findings.h"
#include "dump/view/tree.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Wrong lines of a budget that are reported. */
enum { LINES_SHOWN = 10 };

struct check_options {
    const char *budget;
    enum report_format format;
    findings_function *write_findings; /* writes findings instead; NULL: not requested */
    bool is_writing, is_by_stack;
    bool has_line; /* given on the command line: */
    struct line_options line;
    uint64_t slack, top; /* for writing a budget; or ARGUMENT_NOT_GIVEN */
};

struct complaints {
    const char *path;
    size_t count;
};

static void complain_line(void *context, unsigned line, const char *what) {
    struct complaints *complaints = context;
    char place[512];
    if (complaints->count++ >= LINES_SHOWN)
        return;
    snprintf(place, sizeof place, "%s:%u", complaints->path, line);
    complain_file(place, "%s", what);
}

/* A wrong line makes the whole budget unusable, because the limit of this line is unknown. */
static bool read_budget(struct budget *budget, const char *path) {
    struct complaints complaints = {.path = path};
    struct reason why;
    char *bytes;
    size_t size;
    if (!whole_input(path, &bytes, &size, &why)) {
        complain_file(path, "%s", why.text);
        return false;
    }
    budget_read(budget, bytes, size, complain_line, &complaints);
    free(bytes);
    if (complaints.count > LINES_SHOWN)
        complain_file(path, "and %zu more wrong lines", complaints.count - LINES_SHOWN);
    if (!complaints.count && !budget->count)
        complain_file(path, "has no limit");
    if (!complaints.count && budget->count)
        return true;
    budget_free(budget);
    return false;
}

/* Checks a report, or writes a budget for it. */
typedef int use_function(const struct loaded *, const struct subjects *, const struct check_options *,
                         const struct budget *);

static void write_findings(const struct check *check, findings_function *write) {
    struct findings findings = {.report = check->loaded->report};
    findings_add_broken(&findings, check);
    write(standard_out(), &findings);
    findings_free(&findings);
}

static int hold_against(const struct loaded *loaded, const struct subjects *subjects,
                        const struct check_options *options, const struct budget *budget) {
    struct check check;
    check_make(&check, budget, options->budget, loaded, subjects);
    line_names(loaded->report, NULL);
    if (options->write_findings)
        write_findings(&check, options->write_findings);
    else
        (options->format == FORMAT_JSON ? check_json : check_text)(standard_out(), &check);
    int status = standard_out_end() | check_complain(&check);
    if (check.broken)
        status = STATUS_FAILED;
    check_free(&check);
    return status;
}

static int write_from(const struct loaded *loaded, const struct subjects *subjects,
                      const struct check_options *options, const struct budget *budget) {
    (void)budget;
    if (subjects->stacks && laws_need_stacks(loaded->path, loaded->report->walks.depth))
        return STATUS_FAILED;
    check_write_budget(standard_out(), subjects, &options->line,
                       options->slack == ARGUMENT_NOT_GIVEN ? 0 : options->slack,
                       options->top == ARGUMENT_NOT_GIVEN ? 20 : options->top);
    return standard_out_end();
}

static int with_report(const char *path, use_function *use, const struct check_options *options,
                       const struct budget *budget, bool is_by_stack) {
    struct symbolizer names = {.is_quiet = true, .line = options->line};
    struct loaded loaded;
    struct subjects subjects, stacks = {.count = 0};
    struct by_stack by_stack = {.count = 0};
    if (!loaded_open(&loaded, path, &names)) {
        symbolizer_free(&names);
        return STATUS_FAILED;
    }
    int status = loaded.is_lawful ? STATUS_DONE : STATUS_FAILED;
    subjects_make(&subjects, loaded.report);
    if (is_by_stack) {
        by_stack_make(&by_stack, loaded.report, &names);
        loaded.report->paths = by_stack.report.paths;
        order_sites(by_stack.report.sites, by_stack.report.counted, &by_stack.report.limits);
        subjects_make(&stacks, &by_stack.report);
        subjects.stacks = &stacks;
    }
    status |= use(&loaded, &subjects, options, budget);
    subjects_free(&subjects);
    if (is_by_stack)
        subjects_free(&stacks);
    by_stack_free(&by_stack);
    loaded_close(&loaded);
    symbolizer_free(&names);
    return status;
}

static int write_budget(const char *path, const struct check_options *options) {
    return with_report(path, write_from, options, NULL, options->is_by_stack);
}

static bool has_stacks(const struct budget *budget) {
    for (size_t i = 0; i < budget->count; i++)
        if (budget->limits[i].kind == BUDGET_STACK)
            return true;
    return false;
}

static int check_file(const char *path, const struct check_options *options) {
    struct budget budget;
    if (!read_budget(&budget, options->budget))
        return STATUS_USAGE;
    struct check_options as_written = *options;
    if (budget.has_line && !options->has_line)
        as_written.line = budget.line;
    int status = with_report(path, hold_against, &as_written, &budget, has_stacks(&budget));
    budget_free(&budget);
    return status;
}

static const char help[] =
    "usage: allocsite-dump check --budget=FILE [--format=FORMAT] REPORT\n"
    "       allocsite-dump check --write-budget [--slack=PERCENT] [--top=N]\n"
    "                            [--by=site|stack] REPORT\n"
    "\n"
    "Compares a report with a budget, shows each broken limit with its largest sites,\n"
    "and then exits with 1. The second form writes a budget that the report just\n"
    "keeps: limits for the total, for the N functions with most bytes, and for\n"
    "unsited allocations. Either file may be - for standard input.\n"
    "\n"
    "  --budget=FILE       the budget\n"
    "  --format=text|json|sarif|github\n"
    "                      sarif: for editors; github: annotations for Actions\n"
    "  --write-budget      write a budget\n"
    "  --slack=PERCENT     add this to all limits (default: 0)\n"
    "  --top=N             functions with limits (default: 20; 0: all)\n"
    "  --by=site|stack     stack: limits for call paths instead of functions\n" HELP_OF_LINE "\n"
    "A budget has one subject on a line:\n"
    "\n"
    "  # comment\n"
    "  total                     allocs <= 12000  bytes <= 40MiB  live <= 0\n"
    "  function parse_*          allocs <= 100      # written or inlined there\n"
    "  file src/json/*           bytes <= 1.5MiB    # written or inlined there\n"
    "  type \"std::map<int, *>\"   live <= 0\n"
    "  callee strdup             allocs <= 0\n"
    "  site 0123456789abcdef     peak <= 4KiB\n"
    "  module libfoo.so*         blocks <= 10\n"
    "  unsited libc.so.6         failed <= 0\n"
    "  stack main;load;*         bytes <= 2MiB      # called from there\n"
    "\n"
    "A limit holds for the sum over all sites that match the pattern. * matches any\n"
    "characters, ? matches one, and double quotes keep spaces.\n"
    "\n"
    "  allocs         calls, reallocations included\n"
    "  bytes          requested bytes: B, KiB, MiB, GiB, TiB\n"
    "  live, blocks   bytes and blocks that are live at the end\n"
    "  peak           bytes that were live at the peak of the process\n"
    "  failed         failed calls\n"
    "  leaked         leaked bytes (reach=1)\n"
    "\n"
    "examples:\n"
    "  allocsite-dump check --write-budget --slack=10 app.profile > app.budget\n"
    "  allocsite-dump check --budget=app.budget app.profile";

static const char *take_format(void *to, const char *value) {
    struct check_options *options = to;
    options->write_findings = findings_writer(value);
    bool is_right = options->write_findings ||
                    format_named(value, strlen(value), 1 << FORMAT_TEXT | 1 << FORMAT_JSON, &options->format);
    return is_right ? NULL : "text, json, sarif or github";
}

#define AT(member) offsetof(struct check_options, member)
static const struct argument list[] = {
    {"budget", true, take_text, AT(budget)},
    {"format", true, take_format, 0},
    {"write-budget", false, take_flag, AT(is_writing)},
    {"slack", true, take_number, AT(slack)},
    {"top", true, take_number, AT(top)},
    {"by", true, take_by_stack, AT(is_by_stack)},
    ARGUMENTS_OF_LINE(AT(line)),
    {0},
};

static int run_check(const struct check_options *options, const char *path) {
    if (options->is_writing == (options->budget != NULL))
        return complain_usage("check: needs either --budget=FILE or --write-budget");
    if (options->is_writing && (options->format != FORMAT_TEXT || options->write_findings))
        return complain_usage("check: --format is for --budget: a budget is text");
    if (options->is_writing)
        return write_budget(path, options);
    if (options->slack != ARGUMENT_NOT_GIVEN || options->top != ARGUMENT_NOT_GIVEN || options->is_by_stack)
        return complain_usage("check: --%s is for --write-budget", options->top != ARGUMENT_NOT_GIVEN ? "top"
                                                                   : options->slack != ARGUMENT_NOT_GIVEN
                                                                       ? "slack"
                                                                       : "by");
    if (strcmp(options->budget, "-") == 0 && strcmp(path, "-") == 0)
        return complain_usage("check: only one file can be standard input");
    return check_file(path, options);
}

int command_check(int count, char **arguments) {
    struct check_options options = {.slack = ARGUMENT_NOT_GIVEN, .top = ARGUMENT_NOT_GIVEN};
    uint64_t given;
    int status =
        arguments_take_given(&(struct arguments){"check", help, list}, &options, count, arguments, &given);
    options.has_line = arguments_have_line(list, given);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (count - optind != 1)
        return complain_usage("check: %s", optind == count ? "no report" : "more than one report");
    return run_check(&options, arguments[optind]);
}
