/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses the options of allocsite-dump report. */
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/commands/report.h"
#include "dump/export/export.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OR_FORMAT(format, name, ...)                  #name "|"
#define FORMATS_OR                                    ALLOCSITE_FORMATS(OR_FORMAT)
#define HELP(name, flag, has_value, value, text, ...) "  --" flag value text "\n"
static const char help[] =
    "usage: allocsite-dump report [OPTION...] FILE...\n"
    "\n"
    "Shows what programs allocated, and checks the laws of the counts. Files are\n"
    "profiles (ALLOCSITE_OPTIONS=profile=PATH), also of running programs, or\n"
    "recordings. Several files are shown as one. FILE may be - for standard input, or\n"
    "pid:NUMBER for a running process, with or without a profile.\n"
    "\n"
    "  --by=site|line|caller|function|file|type|module|stack|freed|thread|phase\n"
    "                           the meaning of a row (default: site)\n"
    "  --focus=FUNCTION         callers and callees of a function (GLOB), with shares\n"
    "  --inclusive              with --by=function: sort by inclusive cost\n"
    "  --padding                with --by=type: the holes of each type\n" REPORT_VIEWS(
        HELP) "  --prune=PERCENT          with --tree: hide smaller branches (default: 1)\n"
              "  --at=TIME                of a recording: seconds, 90s, 5m, 2h, -90s from the\n"
              "                           end, or UTC; like FILE@TIME\n"
              "  --format=" FORMATS_OR "html\n"
              "  --format=sarif|github    faults, leaks and advice, for editors and CI\n"
              "  --format=pprof|dhat|speedscope|collapsed|callgrind|openmetrics|trace\n"
              "                           for other programs: allocsite-dump help export\n"
              "  -o FILE, --output=FILE   write to FILE\n"
              "  --source                 with --format=html: add the source around sites\n"
              "  --sort=bytes|allocs|live|peak\n"
              "  --top=N                  rows (0: all; default: 20 for people, else all)\n"
              "  --min-bytes=SIZE, --min-allocs=N\n"
              "                           hide smaller rows (4096, 64KiB)\n"
              "  --filter=GLOB            only sites of this file, function, type or module;\n"
              "                           type=GLOB, ...: compares only the type\n"
              "  --line=auto|site|outermost-library\n"
              "                           the call that is the line of an allocation\n"
              "  --skip=GLOB,...          functions, files and modules that pass through: their\n"
              "                           callers are shown\n"
              "  --stop=GLOB,...          functions, files and modules that do not\n"
              "  --depth=N                compare and show N frames of stacks (0: all)\n"
              "  --leaks                  only rows with live blocks; leaked ones first\n"
              "  --suppress=FILE          with --leaks: known leaks, in LeakSanitizer's format\n"
              "  --pairs                  the lines that freed and reallocated a site's blocks\n"
              "  --sizes                  the requested sizes of each site\n"
              "  --lifetime               how long the blocks of each site lived\n"
              "  --names=short|full       names of C++ functions and types; json, csv: full\n"
              "  --no-symbols             read no files of modules; keep addresses\n"
              "  --debug-dir=DIRECTORY    separate debug files (default: /usr/lib/debug)\n"
              "  --sysroot=DIRECTORY      a copy of the system that the program ran on\n"
              "\n"
              "examples:\n"
              "  ALLOCSITE_OPTIONS=profile=app.profile:pairs=1 ./app\n"
              "  allocsite-dump report app.profile\n"
              "  allocsite-dump report --leaks --pairs app.profile\n"
              "  allocsite-dump report --by=phase app.profile\n"
              "  allocsite-dump report --format=csv app.profile > app.csv\n"
              "  allocsite-dump report --format=html --source -o app.html app.profile\n"
              "  allocsite-dump report /tmp/run/*";
#undef HELP

const struct view_row view_rows[VIEWS] = {
#define REPORT_VIEW(name, flag, has_value, value, text, formats, looks_up, takes)                            \
    {flag, takes, formats, looks_up, show_##name},
    REPORT_VIEWS(REPORT_VIEW) REPORT_PLAIN(REPORT_VIEW)
#undef REPORT_VIEW
};

/* ---- The values of options. */

static const char *const other_formats[] = {"html", "sarif", "github"};

/* Formats for programs, including the page, get all rows. */
static const char *take_format(void *to, const char *value) {
    struct showing *showing = to;
    enum report_format written = FORMAT_TEXT;
    const struct export_format *export = export_named(value);
    unsigned format = FORMATS;
    while (format < FORMAT_EXPORT && strcmp(value, other_formats[format - FORMATS]) != 0)
        format++;
    if (format == FORMAT_HTML)
        written = FORMAT_JSON;
    else if (format_named(value, strlen(value), FORMATS_ALL, &written))
        format = written;
    if (export || format < FORMAT_EXPORT) {
        showing->export = export;
        showing->format = format;
        showing->options.format = written;
        return NULL;
    }
#define NAME(name, ...)           ", " #name
#define FORMAT(format, name, ...) #name ", "
    return ALLOCSITE_FORMATS(FORMAT) "html, sarif, github" ALLOCSITE_EXPORTS(NAME);
#undef NAME
#undef FORMAT
}

static const char *take_by(void *to, const char *value) {
    return group_by_read(value, strlen(value), to)
               ? NULL
               : "site, line, function, file, type, module, stack, freed, thread or phase";
}

static const char *take_order(void *to, const char *value) {
    *(const char **)to = value;
    return !value || strcmp(value, "root") == 0 || strcmp(value, "leaf") == 0 ? NULL : "leaf or root";
}

static const char *take_percent(void *to, const char *value) {
    char *end;
    double percent = *(double *)to = strtod(value, &end);
    return end != value && !*end && percent >= 0 && percent <= 100 ? NULL : "a number from 0 to 100";
}

#define AT(member) offsetof(struct showing, member)
#define FLAG(name, flag, has_value, ...)                                                                     \
    {flag, has_value, has_value == optional_argument ? take_order : take_nothing, AT(order)},
static const struct argument list[] = {
    REPORT_VIEWS(FLAG) /* first, in the order of the views */
    {"by", true, take_by, AT(groups.by)},
    {"focus", true, NULL, AT(options)},
    {"inclusive", false, NULL, AT(options)},
    {"padding", false, take_flag, AT(groups.show_holes)},
    {"prune", true, take_percent, AT(tree.prune)},
    {"source", false, take_flag, AT(has_source)},
    {"sort", true, NULL, AT(options)},
    {"top", true, NULL, AT(options)},
    {"min-bytes", true, NULL, AT(options)},
    {"min-allocs", true, NULL, AT(options)},
    {"filter", true, NULL, AT(options)},
    {"line", true, NULL, AT(options)},
    {"skip", true, NULL, AT(options)},
    {"stop", true, NULL, AT(options)},
    {"depth", true, NULL, AT(options)},
    {"leaks", false, NULL, AT(options)},
    {"suppress", true, NULL, AT(options)},
    {"pairs", false, NULL, AT(options)},
    {"sizes", false, NULL, AT(options)},
    {"lifetime", false, NULL, AT(options)},
    /* The following options apply to all views. */
    {"format", true, take_format, 0},
    {"output", true, take_output_file, 0},
    {"names", true, NULL, AT(options)},
    {"at", true, take_text, AT(at)},
    {"no-symbols", false, take_flag, AT(symbolizer.is_off)},
    {"debug-dir", true, take_text, AT(symbolizer.search.debug_directory)},
    {"sysroot", true, take_text, AT(symbolizer.search.sysroot)},
    {0},
};
#undef FLAG

/* ---- Combinations of options. */

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (; *words; words += strspn(words, " ")) {
        if (strncmp(words, word, length) == 0 && (!words[length] || words[length] == ' '))
            return true;
        words += strcspn(words, " ");
    }
    return false;
}

static int complain_together(const char *first, const char *second) {
    return complain_usage("report: --%s and --%s exclude each other", first, second);
}

/* The view that was requested or that the format implies. */
static int choose_view(struct showing *showing, uint64_t given) {
    showing->view = showing->export                  ? REPORT_export
                    : showing->format < FORMATS      ? REPORT_rows
                    : showing->format == FORMAT_HTML ? REPORT_page
                                                     : REPORT_findings;
    uint64_t asked = given & ((UINT64_C(1) << REPORT_rows) - 1);
    if (asked)
        showing->view = (enum report_view)__builtin_ctzll(asked);
    asked &= asked - 1;
    return asked ? complain_together(list[showing->view].name, list[__builtin_ctzll(asked)].name)
                 : STATUS_DONE;
}

/* "--tree is text or json" */
static int check_format(const struct showing *showing) {
    const struct view_row *view = &view_rows[showing->view];
    char text[128];
    struct out out;
    if (view->formats >> showing->format & 1)
        return STATUS_DONE;
    out_open_memory(&out, text, sizeof text);
    for (unsigned i = 0, left = view->formats; left; i++) {
        if (!(left >> i & 1))
            continue;
        left &= left - 1;
        bool is_first = left == (view->formats & (view->formats - 1));
        out_text(&out, is_first ? "" : left ? ", " : " or ");
        out_text(&out, i < FORMATS ? format_name(i) : other_formats[i - FORMATS]);
    }
    return complain_usage("report: --%s is %s", view->flag, text);
}

/* Reports an option that the chosen view does not take, and names a view that takes it. */
static int check_options(const struct showing *showing, uint64_t given) {
    const struct view_row *view = &view_rows[showing->view];
    for (size_t i = REPORT_rows; strcmp(list[i].name, "format") != 0; i++) {
        const struct view_row *of = view_rows;
        if (!(given >> i & 1) || has_word(view->takes, list[i].name))
            continue;
        while (!has_word(of->takes, list[i].name))
            of++;
        return showing->view == REPORT_rows
                   ? complain_usage("report: --%s is of --%s", list[i].name, of->flag)
                   : complain_together(view->flag, list[i].name);
    }
    return STATUS_DONE;
}

/* Refuses numbers that rows of this kind do not have. */
static int check_by(const struct showing *showing) {
    enum group_by by = showing->groups.by;
    const struct options *options = &showing->options;
    const char *wrong = NULL;
    if (options->focus[0] && by != BY_FUNCTION)
        wrong = "focus";
    else if (options->inclusive && by != BY_FUNCTION)
        wrong = "inclusive";
    else if (showing->groups.show_holes && by != BY_TYPE)
        wrong = "padding";
    else if (by != BY_SITE && strcmp(options->suppress, "none") != 0)
        wrong = "suppress";
    else if (by != BY_SITE && (options->pairs || options->sizes || options->lifetime))
        wrong = options->pairs ? "pairs" : options->sizes ? "sizes" : "lifetime";
    else if (group_by_parts(by) && options->leaks)
        wrong = "leaks";
    return wrong ? complain_usage("report: --%s does not go with --by=%s", wrong, group_by_name(by))
                 : STATUS_DONE;
}

void report_default(struct showing *showing) {
    *showing = (struct showing){.groups = {.by = BY_SITE},
                                .threads = {.by = BY_THREAD},
                                .phases = {.by = BY_PHASE},
                                .tree = {.prune = 1}};
    options_default(&showing->options);
}

/* Checks the combination of options. STATUS_DONE, or an exit status. */
static int check_combination(struct showing *showing, uint64_t given) {
    if (showing->options.focus[0] && showing->groups.by == BY_SITE)
        showing->groups.by = BY_FUNCTION;
    return choose_view(showing, given) ?: check_format(showing) ?: check_options(showing, given)
           ?: check_by(showing) ?: export_check(showing);
}

int report_options(struct showing *showing, int count, char **arguments) {
    uint64_t given;
    report_default(showing);
    int status =
        arguments_take_given(&(struct arguments){"report", help, list}, showing, count, arguments, &given);
    if (status != ARGUMENTS_TAKEN)
        return status;
    showing->has_sort = arguments_have(list, given, "sort");
    int wrong = check_combination(showing, given);
    return wrong ? wrong : ARGUMENTS_TAKEN;
}

struct report_needs report_needs;

int report_check_options(int count, char **arguments) {
    struct showing showing;
    const struct options *options = &showing.options;
    int status = report_options(&showing, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    enum group_by by = showing.groups.by;
    report_needs = (struct report_needs){
        .stacks = showing.view == REPORT_tree || group_by_stacks(by) || options->focus[0],
        .pairs = options->pairs || by == BY_FREED || showing.view == REPORT_events,
        .sizes = options->sizes,
        .lifetime = options->lifetime,
        .reach = options->leaks};
    if (showing.at || showing.view == REPORT_history || showing.view == REPORT_growth)
        return complain_usage("report: --at, --history and --growth need a recording: allocsite-dump record");
    if (strcmp(options->suppress, "none") != 0 && access(options->suppress, R_OK) != 0)
        return complain_file(options->suppress, "%s", strerror(errno));
    return STATUS_DONE;
}

/* ---- Options as keys of ALLOCSITE_OPTIONS. */

bool report_key_is_known(struct setting_value name) {
    return options_have(name);
}

const char *report_take_key(struct showing *showing, struct setting_value name, struct setting_value value) {
    char text[OPTIONS_PATH_SIZE];
    if (value.length >= sizeof text)
        return "the value is too long";
    memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    showing->has_sort |= setting_is(name, "sort");
    if (setting_is(name, "report")) {
        const char *format = format_of_path(text);
        if (!showing->has_format)
            take_format(showing, format);
        return strcmp(format, "profile") == 0 ? "a report, not a profile: profile=PATH keeps one" : NULL;
    }
    if (setting_is(name, "format")) {
        showing->has_format = true;
        return take_format(showing, text) ? "not a format, allocsite-dump help report lists them" : NULL;
    }
    if (setting_is(name, "by"))
        return take_by(&showing->groups.by, text)
                   ? "not one of site, line, function, file, type, module, stack, freed, thread, phase"
                   : NULL;
    return options_take(&showing->options, name, value);
}

int report_check_keys(struct showing *showing) {
    return check_combination(showing, 0);
}
