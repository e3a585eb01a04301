/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of allocsite-dump report. */
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/commands/report.h"
#include "dump/export/export.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Their options. */
static const char *const names_of_what[] = {
    [SHOW_UNUSED] = "unused",  [SHOW_COVERAGE] = "coverage", [SHOW_TREE] = "tree",
    [SHOW_EVENTS] = "events",  [SHOW_HISTORY] = "history",   [SHOW_ADVICE] = "advise",
    [SHOW_FINDINGS] = "format"};

#define OR_FORMAT(format, name, ...) #name "|"
#define FORMATS_OR                   ALLOCSITE_FORMATS(OR_FORMAT)

static void help(void) {
    puts("usage: allocsite-dump report [OPTION...] FILE...\n"
         "\n"
         "Shows what programs have counted, and checks that the numbers agree with each\n"
         "other. Files are profiles (ALLOCSITE_OPTIONS=profile=PATH), also of programs\n"
         "that still run, reports in JSON (format=json), or recordings (see record).\n"
         "Several are shown as one. FILE may be - for standard input, or pid:NUMBER for a\n"
         "running process, with or without a profile.\n"
         "\n"
         "  --by=site|line|function|file|type|module|stack|freed|thread|phase\n"
         "                           what a row is of\n"
         "  --padding                with --by=type: where the padding of each type is\n"
         "  --tree[=leaf|root]       calling frames, from what allocates or from main on\n"
         "  --flame[=root|leaf]      the same drawn: each call as wide as its share\n"
         "  --prune=PERCENT          with --tree, --flame: hide what has less (default: 1)\n"
         "  --unused                 the sites that never ran\n"
         "  --coverage               how many of the sites of each file ran\n"
         "  --events                 what each line allocates, reallocates and frees\n"
         "  --advise                 what the counts say could be saved, and how\n"
         "  --at=TIME                of a recording: seconds, 90s, 5m, 2h, -90s from its\n"
         "                           end, or UTC; as FILE@TIME does\n"
         "  --history                of a recording: the live bytes of sites over time\n"
         "  --growth                 of a recording: sites whose live bytes only grow\n"
         "  --format=" FORMATS_OR "html\n"
         "  --format=sarif|github    faults, leaks and advice, for editors and CI\n"
         "  --format=pprof|dhat|speedscope|collapsed|callgrind|openmetrics|trace\n"
         "                           for other programs: allocsite-dump help export\n"
         "  -o FILE, --output=FILE   write there\n"
         "  --source                 with --format=html: the lines around sites\n"
         "  --sort=bytes|allocs|live|peak\n"
         "  --top=N                  rows (0: all; default: 20 for people, else all)\n"
         "  --min-bytes=SIZE, --min-allocs=N\n"
         "                           hide smaller rows (4096, 64KiB)\n"
         "  --filter=GLOB            only sites of that file, function, type or module;\n"
         "                           type=GLOB, ...: of that type alone\n"
         "  --depth=N                frames of stacks that are looked at (0: all)\n"
         "  --leaks                  only rows with live blocks; lost ones first\n"
         "  --suppress=FILE          with --leaks: known ones, in LeakSanitizer's format\n"
         "  --pairs                  who freed and reallocated each site's blocks\n"
         "  --sizes                  the sizes that each site asked for\n"
         "  --lifetime               how long the blocks of each site lived\n"
         "  --names=short|full       of C++ functions and types; json, csv: full\n"
         "  --no-symbols             leave addresses of unsited allocations as they are\n"
         "  --debug-dir=DIRECTORY    of separate debug files (default: /usr/lib/debug)\n"
         "\n"
         "examples:\n"
         "  ALLOCSITE_OPTIONS=profile=app.profile:pairs=1 ./app\n"
         "  allocsite-dump report app.profile\n"
         "  allocsite-dump report --leaks --pairs app.profile\n"
         "  allocsite-dump report --by=phase app.profile\n"
         "  allocsite-dump report --format=csv app.profile > app.csv\n"
         "  allocsite-dump report --format=html --source -o app.html app.profile\n"
         "  allocsite-dump report --coverage tests/*.profile\n"
         "  allocsite-dump report /tmp/run/*");
}

/* The options are those of a run, ALLOCSITE_OPTIONS, by the same names but for the hyphens. */
static const struct option long_options[] = {
    {"format", required_argument, NULL, 'k'},
    {"sort", required_argument, NULL, 'k'},
    {"top", required_argument, NULL, 'k'},
    {"min-bytes", required_argument, NULL, 'k'},
    {"min-allocs", required_argument, NULL, 'k'},
    {"filter", required_argument, NULL, 'k'},
    {"depth", required_argument, NULL, 'k'},
    {"leaks", no_argument, NULL, 'k'},
    {"suppress", required_argument, NULL, 'k'},
    {"pairs", no_argument, NULL, 'k'},
    {"sizes", no_argument, NULL, 'k'},
    {"lifetime", no_argument, NULL, 'k'},
    {"output", required_argument, NULL, 'o'},
    {"source", no_argument, NULL, 'S'},
    {"names", required_argument, NULL, 'n'},
    {"by", required_argument, NULL, 'b'},
    {"padding", no_argument, NULL, 'p'},
    {"tree", optional_argument, NULL, 't'},
    {"flame", optional_argument, NULL, 'f'},
    {"prune", required_argument, NULL, 'r'},
    {"at", required_argument, NULL, 'a'},
    {"history", no_argument, NULL, 'i'},
    {"growth", no_argument, NULL, 'g'},
    {"unused", no_argument, NULL, 'u'},
    {"events", no_argument, NULL, 'e'},
    {"coverage", no_argument, NULL, 'c'},
    {"advise", no_argument, NULL, 'v'},
    {"no-symbols", no_argument, NULL, 's'},
    {"debug-dir", required_argument, NULL, 'd'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static char wrong[128];

static void note_wrong(const char *what, const char *pair, size_t length) {
    (void)pair, (void)length;
    snprintf(wrong, sizeof wrong, "%s", what);
}

/* NULL, or what is wrong. */
static const char *set_option(struct options *options, const char *name, const char *value) {
    char pair[OPTIONS_PATH_SIZE + 64], quote = strchr(value, '"') ? '\'' : '"';
    int length = snprintf(pair, sizeof pair, "%s=%c%s%c", name, quote, value, quote);
    if (length >= (int)sizeof pair || strchr(value, quote))
        return "too long, or with quotes";
    for (char *at = pair; *at != '='; at++)
        if (*at == '-')
            *at = '_';
    wrong[0] = '\0';
    options_parse(options, pair, note_wrong);
    return wrong[0] ? wrong : NULL;
}

/* Some options are of rows and of what else has them: trees, events, findings. */
static bool takes(enum shown_what what, const char *option) {
    static const char *const lists[][6] = {
        [SHOW_TREE] = {"sort", "filter", "depth", "min-bytes", "min-allocs"},
        [SHOW_EVENTS] = {"filter", "leaks"},
        [SHOW_HISTORY] = {"filter", "min-bytes", "top"},
        [SHOW_ADVICE] = {"filter"},
        [SHOW_FINDINGS] = {"filter", "leaks", "suppress"},
    };
    for (const char *const *at = lists[what]; *at; at++)
        if (strcmp(*at, option) == 0)
            return true;
    return false;
}

/* A format that only findings have shows them, all of them or the advice. */
static int check_findings(struct showing *showing) {
    if (!showing->write_findings || showing->what == SHOW_ADVICE)
        return STATUS_DONE;
    if (showing->what != SHOW_ROWS || showing->groups.by != BY_SITE)
        return complain_usage("report: --%s cannot be sarif or github",
                              showing->what != SHOW_ROWS ? names_of_what[showing->what] : "by");
    showing->what = SHOW_FINDINGS;
    return STATUS_DONE;
}

/* Unused sites, files and trees have the form of none of the rows. */
static int check_what(struct showing *showing) {
    enum report_format format = showing->options.format;
    if (showing->what != SHOW_TREE && showing->has_prune)
        return complain_usage("report: --prune is of --tree");
    if (showing->is_flame && format != FORMAT_TEXT)
        return complain_usage("report: --flame is text");
    if (showing->what == SHOW_TREE && !format_has(format, VIEW_TREE))
        return complain_usage("report: --tree is text or json");
    if (showing->what == SHOW_ADVICE && !format_has(format, VIEW_ADVICE))
        return complain_usage("report: --advise is text, json, sarif or github");
    if (showing->what == SHOW_HISTORY && !format_has(format, VIEW_TREE))
        return complain_usage("report: --%s is text or json", showing->is_growth ? "growth" : "history");
    if (showing->what == SHOW_EVENTS && !format_has(format, VIEW_EVENTS))
        return complain_usage("report: --events is text, markdown or json");
    bool is_coverage = showing->what == SHOW_UNUSED || showing->what == SHOW_COVERAGE;
    if (is_coverage && !format_has(format, VIEW_COVERAGE))
        return complain_usage("report: --%s has no %s", names_of_what[showing->what], format_name(format));
    for (size_t i = 0; i < showing->given_count && !showing->of_rows; i++)
        if (!takes(showing->what, showing->given[i]))
            showing->of_rows = showing->given[i];
    if (showing->what == SHOW_ROWS || !showing->of_rows)
        return STATUS_DONE;
    return complain_usage("report: --%s and --%s do not go together", names_of_what[showing->what],
                          showing->of_rows);
}

/* Numbers that rows of that kind have not cannot be shown. */
static int check_by(const struct showing *showing) {
    enum group_by by = showing->groups.by;
    const struct options *options = &showing->options;
    const char *wrong = NULL;
    if (showing->groups.show_holes && by != BY_TYPE)
        wrong = "padding";
    else if (by != BY_SITE && strcmp(options->suppress, "none") != 0)
        wrong = "suppress";
    else if (by != BY_SITE && (options->pairs || options->sizes || options->lifetime))
        wrong = options->pairs ? "pairs" : options->sizes ? "sizes" : "lifetime";
    else if (group_by_parts(by) && (options->leaks || options->sort == SORT_PEAK))
        wrong = options->leaks ? "leaks" : "sort=peak";
    return wrong ? complain_usage("report: --%s cannot be told by %s", wrong, group_by_name(by))
                 : STATUS_DONE;
}

/* A page is of all there is: it groups by itself. */
static int check_page(const struct showing *showing) {
    if (!showing->is_page)
        return showing->has_source ? complain_usage("report: --source is of --format=html") : STATUS_DONE;
    if (showing->what != SHOW_ROWS || showing->groups.by != BY_SITE)
        return complain_usage("report: --%s cannot be html",
                              showing->what != SHOW_ROWS ? names_of_what[showing->what] : "by");
    return STATUS_DONE;
}

/* Programs, and so the page's, get all rows. */
static const char *set_format(struct showing *showing, const char *value) {
    showing->write_findings = findings_writer(value);
    if (showing->write_findings)
        return NULL;
    showing->is_page = strcmp(value, "html") == 0;
    showing->is_export = export_named(value);
    if (showing->is_export || !set_option(&showing->options, "format", showing->is_page ? "json" : value))
        return NULL;
#define NAME(name, ...)           ", " #name
#define FORMAT(format, name, ...) #name ", "
    return "not one of " ALLOCSITE_FORMATS(FORMAT) "html, sarif, github" ALLOCSITE_EXPORTS(NAME);
}

static void set_what(struct showing *showing, enum shown_what what) {
    if (showing->what != SHOW_ROWS && showing->what != what)
        showing->of_rows = names_of_what[showing->what];
    showing->what = what;
}

static const char *set_tree(struct showing *showing, const char *order) {
    showing->tree.is_root_first = order && strcmp(order, "root") == 0;
    set_what(showing, SHOW_TREE);
    return !order || showing->tree.is_root_first || strcmp(order, "leaf") == 0 ? NULL
                                                                               : "not one of leaf, root";
}

static const char *set_prune(struct showing *showing, const char *percent) {
    char *end;
    showing->has_prune = true;
    showing->tree.prune = strtod(percent, &end);
    bool fits = end != percent && !*end && showing->tree.prune >= 0 && showing->tree.prune <= 100;
    return fits ? NULL : "not a number from 0 to 100";
}

static const char *set_by(struct showing *showing, const char *name) {
    return group_by_read(name, strlen(name), &showing->groups.by)
               ? NULL
               : "not one of site, line, function, file, type, module, stack, freed, thread, phase";
}

/* Options that are of rows alone. */
static const char *take_row_option(struct showing *showing, int option, const char *name, const char *value) {
    bool has_room = showing->given_count < sizeof showing->given / sizeof *showing->given;
    if (strcmp(name, "format") != 0 && has_room)
        showing->given[showing->given_count++] = name;
    if (option == 'p')
        showing->groups.show_holes = true;
    return option == 'p'                 ? NULL
           : option == 'b'               ? set_by(showing, value)
           : strcmp(name, "format") == 0 ? set_format(showing, value)
                                         : set_option(&showing->options, name, value ? value : "1");
}

/* NULL, or what is wrong with the value. */
static const char *take_option(struct showing *showing, int option, const char *name, const char *value) {
    switch (option) {
    case 's':
        showing->symbolizer.is_off = true;
        return NULL;
    case 'd':
        showing->symbolizer.debug_directory = value;
        return NULL;
    case 'o':
        standard_out_to(value);
        return NULL;
    case 'S':
        showing->has_source = true;
        return NULL;
    case 'v':
        set_what(showing, SHOW_ADVICE);
        return NULL;
    case 'u':
    case 'c':
    case 'e':
        set_what(showing, option == 'u' ? SHOW_UNUSED : option == 'c' ? SHOW_COVERAGE : SHOW_EVENTS);
        return NULL;
    case 't':
        return set_tree(showing, value);
    case 'f':
        showing->is_flame = true;
        return set_tree(showing, value ? value : "root");
    case 'r':
        return set_prune(showing, value);
    case 'i':
    case 'g':
        showing->is_growth |= option == 'g';
        set_what(showing, SHOW_HISTORY);
        return NULL;
    case 'a':
        showing->at = value;
        return NULL;
    case 'n':
        return set_option(&showing->options, name, value);
    default:
        return take_row_option(showing, option, name, value);
    }
}

static int take_options(struct showing *showing, int count, char **arguments) {
    for (int option, index = 0;
         (option = getopt_long(count, arguments, "ho:", long_options, &index)) != -1;) {
        if (option == 'h') {
            help();
            return STATUS_DONE;
        }
        if (option == '?')
            return complain_option("report", long_options, arguments);
        const char *name = long_options[index].name, *why = take_option(showing, option, name, optarg);
        if (why)
            return complain_usage("report: --%s=%s is %s", name, optarg, why);
        if (option == 'o' && new_file_check(optarg) != STATUS_DONE)
            return STATUS_FAILED;
    }
    return ARGUMENTS_TAKEN;
}

int report_options(struct showing *showing, int count, char **arguments) {
    *showing = (struct showing){.groups = {.by = BY_SITE},
                                .threads = {.by = BY_THREAD},
                                .phases = {.by = BY_PHASE},
                                .tree = {.prune = 1}};
    options_default(&showing->options);
    optind = 0;
    opterr = 0;
    int status = take_options(showing, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    int wrong = check_findings(showing) ?: check_what(showing) ?: check_by(showing) ?: check_page(showing);
    return wrong ? wrong : ARGUMENTS_TAKEN;
}

int report_check_options(int count, char **arguments) {
    struct showing showing;
    int status = report_options(&showing, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    return showing.is_export ? export_check_options(count, arguments) : STATUS_DONE;
}
