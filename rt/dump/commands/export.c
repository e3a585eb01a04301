/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump export: a report for the viewers of other programs. */
#include "dump/export/export.h"
#include "base/amount.h"
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/join/join.h"
#include "dump/load/loaded.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct exporting {
    const struct export_format *format;
    struct samples samples;
    struct symbolizer symbolizer;
    bool has_output; /* not standard output */
    bool has_sort;
};

static int help(void) {
    puts("usage: allocsite-dump export --format=FORMAT [OPTION...] FILE...\n"
         "\n"
         "Writes what allocsite-dump report would show of the files in a format that\n"
         "others read; report --format=FORMAT is the same. Frames are the functions that a\n"
         "site was inlined into and, of profiles with stacks, those that called. All\n"
         "totals are those of the report.\n"
         "\n"
         "  --format=pprof        go tool pprof, pprof, Perfetto, Grafana Pyroscope\n"
         "  --format=dhat         valgrind's dh_view.html, Firefox Profiler\n"
         "  --format=speedscope   speedscope\n"
         "  --format=collapsed    flamegraph.pl, inferno and all that read collapsed\n"
         "                        stacks\n"
         "  --format=callgrind    callgrind_annotate, KCachegrind, QCachegrind\n"
         "  --format=openmetrics  Prometheus and what else reads metrics\n"
         "                        of a recording: all samples, with their times\n"
         "  --format=trace        of a recording: live bytes over time, for Perfetto\n"
         "  -o FILE, --output=FILE\n"
         "  --sort=bytes|allocs|live|peak    what is looked at first; in collapsed the one\n"
         "                                   number there is\n"
         "  --top=N               in openmetrics and trace: sites with a time series of\n"
         "                        their own (0: all; default: 100)\n"
         "  --names=short|full    of C++ functions\n"
         "  --no-symbols          leave the addresses of unsited allocations and of frames\n"
         "                        as they are\n"
         "  --debug-dir=DIRECTORY of separate debug files (default: /usr/lib/debug)\n"
         "\n"
         "examples:\n"
         "  allocsite-dump export --format=pprof -o app.pb.gz app.profile\n"
         "  go tool pprof -http=: app.pb.gz\n"
         "  allocsite-dump export --format=collapsed --sort=live app.profile |\n"
         "      flamegraph.pl > app.svg");
    return STATUS_DONE;
}

/* ---- From files to the format. */

static int export_report(const char *path, struct report *report, struct exporting *exporting) {
    struct samples *samples = &exporting->samples;
    struct report_limits everything = {.sort = (enum report_sort)samples->by,
                                       .full_names = samples->full_names};
    symbolize_report(&exporting->symbolizer, report);
    report_prepare(report, &everything);
    if (samples->by > MEASURE_ALLOCS && laws_need_owners(path, report))
        return STATUS_FAILED;
    if (exporting->format->write == export_trace && !samples->moment)
        return complain(path, "is no recording, which alone is a timeline: allocsite-dump record");
    samples->report = report;
    samples_make(samples, &exporting->symbolizer);
    exporting->format->write(standard_out(), samples);
    int status = standard_out_end() | laws_check(path, report);
    samples_free(samples);
    return status;
}

static int export_file(const char *path, struct exporting *exporting) {
    struct report_source source;
    struct reason why;
    if (!report_source_load(&source, path, &why))
        return complain(path, "%s", why.text);
    exporting->samples.moment = source.is_recording ? &source.moment : NULL;
    int status = laws_need_whole(path, source.report) | export_report(path, source.report, exporting);
    report_source_free(&source);
    return status;
}

static int export_joined(char **paths, int count, struct exporting *exporting) {
    struct joined joined = {.reports = 0};
    int status = join_files(&joined, paths, count, NULL, NULL);
    if (joined.reports)
        status |= export_report("all files together", &joined.report, exporting);
    joined_free(&joined);
    return status;
}

/* ---- The command line. */

/* Beside the letters. */
enum { FORMAT = 256, SORT, TOP, NAMES, NO_SYMBOLS, DEBUG_DIR };

static const struct option long_options[] = {
    {"format", required_argument, NULL, FORMAT},
    {"output", required_argument, NULL, 'o'},
    {"sort", required_argument, NULL, SORT},
    {"top", required_argument, NULL, TOP},
    {"names", required_argument, NULL, NAMES},
    {"no-symbols", no_argument, NULL, NO_SYMBOLS},
    {"debug-dir", required_argument, NULL, DEBUG_DIR},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char *right_values(int option) {
#define ALLOCSITE_EXPORT(name, is_binary) #name " "
    return option == FORMAT ? "one of " ALLOCSITE_EXPORTS(ALLOCSITE_EXPORT)
           : option == SORT ? "bytes, allocs, live or peak"
           : option == TOP  ? "a number"
                            : "short or full";
#undef ALLOCSITE_EXPORT
}

static bool set_option(struct exporting *exporting, int option, const char *value) {
    struct samples *samples = &exporting->samples;
    uint64_t top = 0;
    switch (option) {
    case FORMAT:
        return (exporting->format = export_named(value)) != NULL;
    case SORT:
        exporting->has_sort = true;
        samples->by = measure_named(value, strlen(value));
        return samples->by < MEASURE_SORTS;
    case TOP:
        return !amount_read_all(value, false, &top) && (samples->top = top) == top;
    case NAMES:
        samples->full_names = strcmp(value, "full") == 0;
        return samples->full_names || strcmp(value, "short") == 0;
    case DEBUG_DIR:
        exporting->symbolizer.debug_directory = value;
        return true;
    case NO_SYMBOLS:
        return exporting->symbolizer.is_off = true;
    default:
        standard_out_to(value);
        return exporting->has_output = true;
    }
}

static int check(const struct exporting *exporting, bool has_files) {
    if (!exporting->format)
        return complain_usage("export: no format (--format=pprof)");
    if (!has_files)
        return complain_usage("export: no file");
    if (exporting->format->is_binary && !exporting->has_output && isatty(STDOUT_FILENO))
        return complain_usage("export: %s is not for terminals: -o FILE", exporting->format->name);
    return STATUS_DONE;
}

static int take_options(struct exporting *exporting, int count, char **arguments, bool *is_help) {
    *exporting = (struct exporting){.samples = {.top = 100}};
    *is_help = false;
    optind = 0;
    opterr = 0;
    for (int option, index; (option = getopt_long(count, arguments, "ho:", long_options, &index)) != -1;) {
        if (option == 'h') {
            *is_help = true;
            return help();
        }
        if (option == '?')
            return complain_option("export", long_options, arguments);
        if (!set_option(exporting, option, optarg))
            return complain_value("export", long_options[index].name, optarg, right_values(option));
    }
    return STATUS_DONE;
}

int export_check_options(int count, char **arguments) {
    struct exporting exporting;
    bool is_help;
    int status = take_options(&exporting, count, arguments, &is_help);
    return status || is_help ? status : check(&exporting, true);
}

int command_export(int count, char **arguments) {
    struct exporting exporting;
    bool is_help;
    int status = take_options(&exporting, count, arguments, &is_help);
    if (status || is_help)
        return status;
    status = check(&exporting, optind < count);
    if (status)
        return status;
    /* Which sites have a track: what is live at the end says little about the time before. */
    if (exporting.format->write == export_trace && !exporting.has_sort)
        exporting.samples.by = MEASURE_PEAK;
    /* A limit on the size of files becomes an error of writing. */
    signal(SIGXFSZ, SIG_IGN);
    char **paths = arguments + optind;
    status = count - optind == 1 ? export_file(paths[0], &exporting)
                                 : export_joined(paths, count - optind, &exporting);
    symbolizer_free(&exporting.symbolizer);
    return status;
}
