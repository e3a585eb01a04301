/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump report: what programs have counted, from profiles and from reports that were written as
 * JSON. */
#include "report_command.h"
#include "groups.h"
#include "join_files.h"
#include "laws.h"
#include "report_source.h"
#include "standard_out.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_sizes(const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++)
        if (report->sites[i]->sizes)
            return true;
    return false;
}

/* What the program was not asked to count cannot be shown. */
static int check_asked(const char *path, const struct report *report) {
    bool no_pairs = report->limits.pairs && !report->has_pairs;
    bool no_sizes = report->limits.sizes && report->site_count && !has_sizes(report);
    if (no_pairs)
        complain(path, "has no pairs: run the program with ALLOCSITE_OPTIONS=pairs=1");
    if (no_sizes)
        complain(path, "has no sizes: run the program with ALLOCSITE_OPTIONS=sizes=1");
    return no_pairs || no_sizes ? STATUS_FAILED : STATUS_DONE;
}

struct showing {
    struct options options;
    struct groups groups; /* by site: none */
};

static int show_sites(const char *path, struct report *report, const struct showing *showing) {
    struct report_limits limits = report_limits_of(&showing->options);
    report_prepare(report, &limits);
    report_write(standard_out(), report, showing->options.format);
    return standard_out_end() | check_asked(path, report);
}

static int show_groups(const char *path, struct report *report, struct showing *showing) {
    struct report_limits everything = {.top = 0}, limits = report_limits_of(&showing->options);
    struct groups *groups = &showing->groups;
    struct reason why;
    report_prepare(report, &everything);
    if (!group_by_parts(groups->by) && !groups_add_sites(groups, report, &why)) {
        complain(path, "%s", why.text);
        return STATUS_FAILED;
    }
    groups_prepare(groups, &limits);
    groups_write(standard_out(), groups, report, showing->options.format);
    return standard_out_end() | groups_check(path, groups, report);
}

static int show(const char *path, struct report *report, struct showing *showing) {
    static char directory[PATH_MAX];
    report->directory = getcwd(directory, sizeof directory);
    int status = showing->groups.by == BY_SITE ? show_sites(path, report, showing)
                                               : show_groups(path, report, showing);
    return status | laws_check(path, report);
}

/* Of what is joined, nobody knows which thread or phase it was in. */
static bool take_parts(void *context, const struct report_source *source, struct reason *why) {
    struct showing *showing = context;
    return !group_by_parts(showing->groups.by) || groups_add_parts(&showing->groups, source, why);
}

static int show_file(const char *path, struct showing *showing) {
    struct report_source source;
    struct reason why;
    if (!report_source_load(&source, path, &why)) {
        complain(path, "%s", why.text);
        return STATUS_FAILED;
    }
    bool is_taken = take_parts(showing, &source, &why);
    if (!is_taken)
        complain(path, "%s", why.text);
    int status = is_taken ? show(path, source.report, showing) : STATUS_FAILED;
    report_source_free(&source);
    return status;
}

static int show_joined(char **paths, int count, struct showing *showing) {
    struct joined joined = {.reports = 0};
    int status = join_files(&joined, paths, count, take_parts, showing);
    if (joined.reports)
        status |= show("all files together", &joined.report, showing);
    joined_free(&joined);
    return status;
}

static int show_files(char **paths, int count, struct showing *showing) {
    int status = count == 1 ? show_file(paths[0], showing) : show_joined(paths, count, showing);
    groups_free(&showing->groups);
    return status;
}

static int help(void) {
    puts("usage: allocsite-dump report [OPTION...] FILE...\n"
         "\n"
         "Shows what programs have counted, and checks that the numbers agree with each other. Files\n"
         "are profiles (ALLOCSITE_OPTIONS=profile=PATH), also of programs that still run, or reports\n"
         "in JSON (format=json). Several are shown as one. FILE may be - for standard input, or\n"
         "pid:NUMBER for a running process, with or without a profile.\n"
         "\n"
         "  --by=site|line|function|file|type|module|thread|phase    what a row is of\n"
         "  --format=text|json|csv|markdown\n"
         "  --sort=bytes|allocs|live|peak\n"
         "  --top=N                          rows (0: all; default: 20 in text and markdown, else all)\n"
         "  --min-bytes=N, --min-allocs=N    hide smaller rows\n"
         "  --leaks                          only rows with live blocks; lost ones first\n"
         "  --pairs                          who freed and reallocated each site's blocks\n"
         "  --sizes                          the sizes that each site asked for\n"
         "\n"
         "examples:\n"
         "  ALLOCSITE_OPTIONS=profile=app.profile:pairs=1 ./app\n"
         "  allocsite-dump report app.profile\n"
         "  allocsite-dump report --leaks --pairs app.profile\n"
         "  allocsite-dump report --by=phase app.profile\n"
         "  allocsite-dump report --format=csv app.profile > app.csv\n"
         "  allocsite-dump report /tmp/run/*");
    return STATUS_DONE;
}

/* The options are those of a run, ALLOCSITE_OPTIONS, by the same names but for the hyphens. */
static const struct option long_options[] = {
    {"format", required_argument, NULL, 'o'},
    {"sort", required_argument, NULL, 'o'},
    {"top", required_argument, NULL, 'o'},
    {"min-bytes", required_argument, NULL, 'o'},
    {"min-allocs", required_argument, NULL, 'o'},
    {"leaks", no_argument, NULL, 'o'},
    {"pairs", no_argument, NULL, 'o'},
    {"sizes", no_argument, NULL, 'o'},
    {"by", required_argument, NULL, 'b'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static bool is_wrong;

static void note_wrong(const char *what, const char *pair, size_t length) {
    (void)what, (void)pair, (void)length;
    is_wrong = true;
}

static bool set_option(struct options *options, const char *name, const char *value) {
    char pair[128];
    int length = snprintf(pair, sizeof pair, "%s=%s", name, value);
    if (length >= (int)sizeof pair || strchr(value, ':'))
        return false;
    for (char *at = pair; *at != '='; at++)
        if (*at == '-')
            *at = '_';
    is_wrong = false;
    options_parse(options, pair, note_wrong);
    return !is_wrong;
}

/* What rows of that kind have not cannot be shown. */
static int check_by(const struct showing *showing) {
    enum group_by by = showing->groups.by;
    const struct options *options = &showing->options;
    const char *wrong = NULL;
    if (by != BY_SITE && (options->pairs || options->sizes))
        wrong = options->pairs ? "pairs" : "sizes";
    else if (group_by_parts(by) && (options->leaks || options->sort == SORT_PEAK))
        wrong = options->leaks ? "leaks" : "sort=peak";
    return wrong ? complain_usage("report: --%s cannot be told by %s", wrong, group_by_name(by))
                 : STATUS_DONE;
}

int command_report(int count, char **arguments) {
    struct showing showing = {.groups = {.by = BY_SITE}};
    options_default(&showing.options);
    opterr = 0;
    for (int option, index; (option = getopt_long(count, arguments, "h", long_options, &index)) != -1;) {
        if (option == 'h')
            return help();
        if (option != 'o' && option != 'b')
            return complain_usage("report: bad option %s", arguments[optind - 1]);
        bool is_set = option == 'b'
                          ? group_by_read(optarg, &showing.groups.by)
                          : set_option(&showing.options, long_options[index].name, optarg ? optarg : "1");
        if (!is_set)
            return complain_usage("report: bad value of --%s: %s", long_options[index].name, optarg);
    }
    if (optind == count)
        return complain_usage("report: no file");
    int status = check_by(&showing);
    return status ? status : show_files(arguments + optind, count - optind, &showing);
}
