/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump check: whether a run kept its budget. */
#include "dump/compare/check.h"
#include "base/amount.h"
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/findings/findings.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Wrong lines of a budget that are told. */
enum { LINES_TOLD = 10 };

struct check_options {
    const char *budget;
    enum report_format format;
    findings_function *write_findings; /* in place of that; NULL: not asked for */
    bool is_writing;
    const char *writing_option; /* one that is only for writing a budget; NULL: not given */
    uint64_t slack, top;
};

struct complaints {
    const char *path;
    size_t count;
};

static void complain_line(void *context, unsigned line, const char *what) {
    struct complaints *complaints = context;
    char place[512];
    if (complaints->count++ >= LINES_TOLD)
        return;
    snprintf(place, sizeof place, "%s:%u", complaints->path, line);
    complain(place, "%s", what);
}

/* A budget with a wrong line is wrong as a whole: what it was meant to forbid is not known. */
static bool read_budget(struct budget *budget, const char *path) {
    struct complaints complaints = {.path = path};
    struct reason why;
    char *bytes;
    size_t size;
    if (!whole_input(path, &bytes, &size, &why)) {
        complain(path, "%s", why.text);
        return false;
    }
    budget_read(budget, bytes, size, complain_line, &complaints);
    free(bytes);
    if (complaints.count > LINES_TOLD)
        complain(path, "and %zu more wrong lines", complaints.count - LINES_TOLD);
    if (!complaints.count && !budget->count)
        complain(path, "has no limit");
    if (!complaints.count && budget->count)
        return true;
    budget_free(budget);
    return false;
}

/* The use of a report. */
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
    (void)loaded, (void)budget;
    check_write_budget(standard_out(), subjects, options->slack, options->top);
    return standard_out_end();
}

static int with_report(const char *path, use_function *use, const struct check_options *options,
                       const struct budget *budget) {
    struct loaded loaded;
    struct subjects subjects;
    if (!loaded_open(&loaded, path, NULL))
        return STATUS_FAILED;
    int status = loaded.is_lawful ? STATUS_DONE : STATUS_FAILED;
    subjects_make(&subjects, loaded.report);
    status |= use(&loaded, &subjects, options, budget);
    subjects_free(&subjects);
    loaded_close(&loaded);
    return status;
}

static int check_file(const char *path, const struct check_options *options) {
    struct budget budget;
    if (!read_budget(&budget, options->budget))
        return STATUS_USAGE;
    int status = with_report(path, hold_against, options, &budget);
    budget_free(&budget);
    return status;
}

static int help(void) {
    puts("usage: allocsite-dump check --budget=FILE [--format=FORMAT] REPORT\n"
         "       allocsite-dump check --write-budget [--slack=PERCENT] [--top=N] REPORT\n"
         "\n"
         "Holds a report against a budget, shows each limit that is broken with the sites\n"
         "that make it up, and then exits with 1. The second form writes a budget that the\n"
         "report just keeps: of the total, of the N functions that ask for most, and of\n"
         "what is unsited. Either file may be - for standard input.\n"
         "\n"
         "  --budget=FILE       the budget\n"
         "  --format=text|json|sarif|github\n"
         "                      of what is said about it; sarif: for editors; github:\n"
         "                      annotations of Actions\n"
         "  --write-budget      write one instead\n"
         "  --slack=PERCENT     more than the report has (default: 0)\n"
         "  --top=N             functions in it (default: 20; 0: all)\n"
         "\n"
         "A budget has one subject a line:\n"
         "\n"
         "  # comment\n"
         "  total                     allocs <= 12000  bytes <= 40MiB  live <= 0\n"
         "  function parse_*          allocs <= 100      # written or inlined there\n"
         "  file src/json/*           bytes <= 1.5MiB    # likewise\n"
         "  type \"std::map<int, *>\"   live <= 0\n"
         "  callee strdup             allocs <= 0\n"
         "  site 0123456789abcdef     peak <= 4KiB\n"
         "  module libfoo.so*         blocks <= 10\n"
         "  unsited libc.so.6         failed <= 0\n"
         "\n"
         "A limit is for the sum over all sites that the pattern matches: * is any\n"
         "characters, ? is one; quotes are for spaces. allocs: calls, reallocations too;\n"
         "bytes: what they asked for; live, blocks: bytes and blocks at the end; peak:\n"
         "bytes at the peak of the process; failed: calls; lost: bytes, with reach=1.\n"
         "Units of bytes: B, KiB, MiB, GiB, TiB.\n"
         "\n"
         "examples:\n"
         "  allocsite-dump check --write-budget --slack=10 app.json > app.budget\n"
         "  allocsite-dump check --budget=app.budget app.json");
    return STATUS_DONE;
}

/* Beside the letters. */
enum { BUDGET = 256, FORMAT, WRITE, SLACK, TOP };

static const struct option long_options[] = {
    {"budget", required_argument, NULL, BUDGET},
    {"format", required_argument, NULL, FORMAT},
    {"write-budget", no_argument, NULL, WRITE},
    {"slack", required_argument, NULL, SLACK},
    {"top", required_argument, NULL, TOP},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char *right_values(int option) {
    return option == FORMAT ? "text, json, sarif or github" : "a number";
}

static bool set_option(struct check_options *options, int option, const char *value) {
    switch (option) {
    case BUDGET:
        options->budget = value;
        return true;
    case FORMAT:
        options->write_findings = findings_writer(value);
        return options->write_findings || format_named(value, strlen(value), VIEW_CHECK, &options->format);
    case WRITE:
        return options->is_writing = true;
    case SLACK:
        options->writing_option = "slack";
        return !amount_read_all(value, false, &options->slack);
    default:
        options->writing_option = "top";
        return !amount_read_all(value, false, &options->top);
    }
}

static int run(const struct check_options *options, const char *path) {
    if (options->is_writing == (options->budget != NULL))
        return complain_usage("check: needs either --budget=FILE or --write-budget");
    if (options->is_writing)
        return with_report(path, write_from, options, NULL);
    if (options->writing_option)
        return complain_usage("check: --%s is for --write-budget", options->writing_option);
    if (strcmp(options->budget, "-") == 0 && strcmp(path, "-") == 0)
        return complain_usage("check: only one of the two can be standard input");
    return check_file(path, options);
}

int command_check(int count, char **arguments) {
    struct check_options options = {.top = 20};
    opterr = 0;
    for (int option, index; (option = getopt_long(count, arguments, "h", long_options, &index)) != -1;) {
        if (option == 'h')
            return help();
        if (option == '?')
            return complain_option("check", long_options, arguments);
        if (!set_option(&options, option, optarg))
            return complain_value("check", long_options[index].name, optarg, right_values(option));
    }
    if (count - optind != 1)
        return complain_usage("check: %s", optind == count ? "no report" : "more than one report");
    return run(&options, arguments[optind]);
}
