/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump report: a report that was written as JSON, in another form. */
#include "report_command.h"
#include "report_source.h"

#include "../lib/report_check.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Breaches that are told one by one. */
enum { BREACHES_TOLD = 10 };

struct breaches {
    const char *path;
    size_t count;
};

static void tell_breach(void *context, const struct report_breach *breach) {
    struct breaches *breaches = context;
    char whose[32] = "totals";
    if (breaches->count++ >= BREACHES_TOLD)
        return;
    if (breach->site)
        snprintf(whose, sizeof whose, "site %016" PRIx64, breach->site->view.id);
    complain(breaches->path, "breaks a law: %s: %s, but they are %" PRIu64 " and %" PRIu64, whose,
             breach->law, breach->left, breach->right);
}

static int check(const char *path, const struct report *report) {
    struct breaches breaches = {.path = path};
    report_check(report, tell_breach, &breaches);
    if (breaches.count > BREACHES_TOLD)
        complain(path, "and %zu more breaches", breaches.count - BREACHES_TOLD);
    return breaches.count ? STATUS_FAILED : STATUS_DONE;
}

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

static int write_report(const struct report *report, enum report_format format) {
    static char buffer[1 << 16];
    struct out out;
    out_open(&out, STDOUT_FILENO, buffer, sizeof buffer);
    report_write(&out, report, format);
    int error = out_flush(&out);
    if (error)
        complain("standard output", "%s", strerror(error));
    return error ? STATUS_FAILED : STATUS_DONE;
}

static int show(const char *path, struct report *report, const struct options *options) {
    static char directory[PATH_MAX];
    struct report_limits limits = report_limits_of(options);
    report->directory = getcwd(directory, sizeof directory);
    report_prepare(report, &limits);
    int status = write_report(report, options->format);
    return status | check_asked(path, report) | check(path, report);
}

static int show_file(const char *path, const struct options *options) {
    struct report_source source;
    struct reason why;
    if (!report_source_load(&source, path, &why)) {
        complain(path, "%s", why.text);
        return STATUS_FAILED;
    }
    int status = show(path, source.report, options);
    report_source_free(&source);
    return status;
}

static int help(void) {
    puts("usage: allocsite-dump report [OPTION...] FILE\n"
         "\n"
         "Shows a report that a program wrote with ALLOCSITE_OPTIONS=format=json, and checks that its "
         "numbers\n"
         "agree with each other. FILE may be - for standard input.\n"
         "\n"
         "  --format=text|json|csv|markdown\n"
         "  --sort=bytes|allocs|live|peak\n"
         "  --top=N                          rows (0: all; default: 20 in text and markdown, else all)\n"
         "  --min-bytes=N, --min-allocs=N    hide smaller sites\n"
         "  --leaks                          only sites with live blocks; lost ones first\n"
         "  --pairs                          who freed and reallocated each site's blocks\n"
         "  --sizes                          the sizes that each site asked for\n"
         "\n"
         "examples:\n"
         "  ALLOCSITE_OPTIONS=format=json:report=app.json:pairs=1 ./app\n"
         "  allocsite-dump report app.json\n"
         "  allocsite-dump report --leaks --pairs app.json\n"
         "  allocsite-dump report --format=csv app.json > app.csv");
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

int command_report(int count, char **arguments) {
    struct options options;
    options_default(&options);
    opterr = 0;
    for (int option, index; (option = getopt_long(count, arguments, "h", long_options, &index)) != -1;) {
        if (option == 'h')
            return help();
        if (option != 'o')
            return complain_usage("report: bad option %s", arguments[optind - 1]);
        if (!set_option(&options, long_options[index].name, optarg ? optarg : "1"))
            return complain_usage("report: bad value of --%s: %s", long_options[index].name, optarg);
    }
    if (count - optind != 1)
        return complain_usage("report: %s", optind == count ? "no file" : "more than one file");
    return show_file(arguments[optind], &options);
}
