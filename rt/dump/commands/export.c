/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump export: a report for the viewers of other programs. */
#include "dump/export/export.h"
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
};

static const char help[] =
    "usage: allocsite-dump export --format=FORMAT [OPTION...] FILE...\n"
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
    "      flamegraph.pl > app.svg";

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

static const char *take_format(void *to, const char *value) {
    const struct export_format *format = export_named(value);
    *(const struct export_format **)to = format;
#define ALLOCSITE_EXPORT(name, is_binary) #name " "
    return format ? NULL : "one of " ALLOCSITE_EXPORTS(ALLOCSITE_EXPORT);
#undef ALLOCSITE_EXPORT
}

static const char *take_output(void *to, const char *path) {
    *(bool *)to = true;
    return take_output_file(to, path);
}

#define AT(member) offsetof(struct exporting, member)
static const struct argument list[] = {
    {"format", true, take_format, AT(format)},
    {"output", true, take_output, AT(has_output)},
    {"sort", true, take_sort, AT(samples.by)},
    {"top", true, take_number, AT(samples.top)},
    {"names", true, take_full_names, AT(samples.full_names)},
    {"no-symbols", false, take_flag, AT(symbolizer.is_off)},
    {"debug-dir", true, take_text, AT(symbolizer.debug_directory)},
    {0},
};

/* ARGUMENTS_TAKEN, or the status to end with. */
static int check(const struct exporting *exporting, bool has_files) {
    if (!exporting->format)
        return complain_usage("export: no format (--format=pprof)");
    if (!has_files)
        return complain_usage("export: no file");
    if (exporting->format->is_binary && !exporting->has_output && isatty(STDOUT_FILENO))
        return complain_usage("export: %s is not for terminals: -o FILE", exporting->format->name);
    return ARGUMENTS_TAKEN;
}

static int take_options(struct exporting *exporting, int count, char **arguments) {
    *exporting = (struct exporting){.samples = {.top = 100, .by = MEASURES}};
    return arguments_take(&(struct arguments){"export", help, list}, exporting, count, arguments);
}

int export_check_options(int count, char **arguments) {
    struct exporting exporting;
    int status = take_options(&exporting, count, arguments);
    status = status == ARGUMENTS_TAKEN ? check(&exporting, true) : status;
    return status == ARGUMENTS_TAKEN ? STATUS_DONE : status;
}

int command_export(int count, char **arguments) {
    struct exporting exporting;
    int status = take_options(&exporting, count, arguments);
    status = status == ARGUMENTS_TAKEN ? check(&exporting, optind < count) : status;
    if (status != ARGUMENTS_TAKEN)
        return status;
    /* Which sites have a track: what is live at the end says little about the time before. */
    if (exporting.samples.by == MEASURES)
        exporting.samples.by = exporting.format->write == export_trace ? MEASURE_PEAK : MEASURE_BYTES;
    /* A limit on the size of files becomes an error of writing. */
    signal(SIGXFSZ, SIG_IGN);
    char **paths = arguments + optind;
    status = count - optind == 1 ? export_file(paths[0], &exporting)
                                 : export_joined(paths, count - optind, &exporting);
    symbolizer_free(&exporting.symbolizer);
    return status;
}
