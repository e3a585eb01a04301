/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump export: writes a report for other programs' viewers. The command report can do the same. */
#include "dump/export/export.h"
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/commands/report.h"

#include <unistd.h>

static const char help[] =
    "usage: allocsite-dump export --format=FORMAT [OPTION...] FILE...\n"
    "\n"
    "Writes a report in a format that other programs read, as report --format=FORMAT\n"
    "does. Frames are the call path of an allocation and the functions that were\n"
    "inlined. All totals are the totals of the report.\n"
    "\n"
    "  --format=pprof        go tool pprof, Perfetto, Grafana Pyroscope\n"
    "  --format=dhat         valgrind's dh_view.html, Firefox Profiler\n"
    "  --format=speedscope   speedscope\n"
    "  --format=collapsed    flamegraph.pl, inferno\n"
    "  --format=callgrind    callgrind_annotate, KCachegrind, QCachegrind\n"
    "  --format=openmetrics  Prometheus; a recording has all samples with their times\n"
    "  --format=trace        Perfetto: live bytes of a recording over time\n"
    "  -o FILE, --output=FILE\n"
    "                        write to FILE\n"
    "  --sort=bytes|allocs|live|peak\n"
    "                        the number that is shown first; collapsed has only this\n"
    "  --top=N               in openmetrics and trace: sites with a time series each\n"
    "                        (0: all; default: 100)\n"
    "  --names=short|full    names of C++ functions\n" HELP_OF_LINE
    "  --no-symbols          read no files of modules; keep addresses\n"
    "  --debug-dir=DIRECTORY separate debug files (default: /usr/lib/debug)\n"
    "  --sysroot=DIRECTORY   a copy of the system that the program ran on\n"
    "\n"
    "examples:\n"
    "  allocsite-dump export --format=pprof -o app.pb.gz app.profile\n"
    "  go tool pprof -http=: app.pb.gz\n"
    "  allocsite-dump export --format=collapsed --sort=live app.profile |\n"
    "      flamegraph.pl > app.svg";

static const char *take_format(void *to, const char *value) {
    struct showing *showing = to;
    const struct export_format *export = export_named(value);
    showing->export = export ?: showing->export;
#define ALLOCSITE_EXPORT(name, is_binary) #name " "
    return export ? NULL : "one of " ALLOCSITE_EXPORTS(ALLOCSITE_EXPORT);
#undef ALLOCSITE_EXPORT
}

static const char *take_order(void *to, const char *value) {
    struct showing *showing = to;
    enum measure sort;
    const char *right = take_sort(&sort, value);
    showing->has_sort = true;
    showing->options.sort = (enum report_sort)sort;
    return right;
}

#define AT(member) offsetof(struct showing, member)
static const struct argument list[] = {
    {"format", true, take_format, 0},
    {"output", true, take_output_file, 0},
    {"sort", true, take_order, 0},
    {"top", true, NULL, AT(options)},
    {"names", true, NULL, AT(options)},
    ARGUMENTS_OF_LINE(AT(options.line)),
    {"no-symbols", false, take_flag, AT(symbolizer.is_off)},
    {"debug-dir", true, take_text, AT(symbolizer.search.debug_directory)},
    {"sysroot", true, take_text, AT(symbolizer.search.sysroot)},
    {0},
};

int export_check(const struct showing *showing) {
    const struct export_format *export = showing->export;
    if (export && export->is_binary && isatty(standard_out_terminal()))
        return complain_usage("export: %s is not for terminals: -o FILE", export->name);
    return STATUS_DONE;
}

int command_export(int count, char **arguments) {
    struct showing showing;
    report_default(&showing);
    int status = arguments_take(&(struct arguments){"export", help, list}, &showing, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (!showing.export)
        return complain_usage("export: no format (--format=pprof)");
    showing.view = REPORT_export;
    showing.format = FORMAT_EXPORT;
    return export_check(&showing) ?: report_files(&showing, "export", count, arguments);
}
