/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump report: what programs have counted, from profiles and from reports that were written as
 * JSON. */
#include "dump/base/files.h"
#include "dump/commands/commands.h"
#include "dump/export/export.h"
#include "dump/html/html.h"
#include "dump/join/join.h"
#include "dump/load/loaded.h"
#include "dump/load/source.h"
#include "dump/load/symbolize.h"
#include "dump/view/coverage.h"
#include "dump/view/groups.h"
#include "dump/view/tree.h"
#include "write/formats.h"
#include "write/line.h"

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

/* Numbers that the program was asked not to count cannot be shown. */
static int check_owned(const char *path, const struct report *report, const struct options *options) {
    return options_need_owners(options) ? laws_need_owners(path, report) : STATUS_DONE;
}

/* Nor can those that it was not asked to count. */
static int check_asked(const char *path, const struct report *report) {
    bool no_pairs = report->limits.pairs && !report->has_pairs;
    bool no_sizes = report->limits.sizes && report->site_count && !has_sizes(report);
    if (no_pairs)
        complain(path, "has no pairs: run the program with ALLOCSITE_OPTIONS=pairs=1");
    if (no_sizes)
        complain(path, "has no sizes: run the program with ALLOCSITE_OPTIONS=sizes=1");
    return no_pairs || no_sizes ? STATUS_FAILED : STATUS_DONE;
}

enum shown_what { SHOW_ROWS, SHOW_UNUSED, SHOW_COVERAGE, SHOW_TREE };

/* Their options. */
static const char *const names_of_what[] = {
    [SHOW_UNUSED] = "unused", [SHOW_COVERAGE] = "coverage", [SHOW_TREE] = "tree"};

struct showing {
    struct options options;
    enum shown_what what;
    const char *sort; /* the option, of rows and trees; NULL: it was not given */
    bool has_prune;
    bool is_flame;              /* the tree is drawn */
    const char *of_rows;        /* an option that is of rows alone; NULL: there was none */
    struct module_list modules; /* of which the files are looked at */
    struct type_layouts layouts;
    struct groups groups; /* by site: none */
    char *suppressed;
    struct symbolizer symbolizer;
    struct tree tree;
    bool is_page, has_source;      /* of rows: as HTML */
    bool lacks_parts;              /* what is shown is not all of known threads and phases */
    struct groups threads, phases; /* of the page */
};

/* False: it cannot be read. */
static bool read_suppressions(const char *path, char **text) {
    struct reason why;
    char *bytes;
    size_t size;
    *text = NULL;
    if (strcmp(path, "none") == 0)
        return true;
    if (!whole_input(path, &bytes, &size, &why)) {
        complain(path, "%s", why.text);
        return false;
    }
    *text = strndup(bytes, size);
    free(bytes);
    return *text;
}

static int show_sites(const char *path, struct report *report, struct showing *showing) {
    struct report_limits limits = report_limits_of(&showing->options);
    limits.suppressed = showing->suppressed;
    report_prepare(report, &limits);
    if (check_owned(path, report, &showing->options))
        return STATUS_FAILED;
    report_write(standard_out(), report, showing->options.format);
    return standard_out_end() | check_asked(path, report);
}

static int show_page(const char *path, struct report *report, struct showing *showing) {
    struct report_limits everything = {.top = 0}, limits = report_limits_of(&showing->options);
    const struct html page = {.report = report,
                              .symbolizer = &showing->symbolizer,
                              .threads = showing->lacks_parts ? NULL : &showing->threads,
                              .phases = showing->lacks_parts ? NULL : &showing->phases,
                              .has_source = showing->has_source};
    limits.suppressed = showing->suppressed;
    report_prepare(report, &limits);
    if (check_owned(path, report, &showing->options))
        return STATUS_FAILED;
    groups_prepare(&showing->threads, &everything);
    groups_prepare(&showing->phases, &everything);
    html_write(standard_out(), &page);
    return standard_out_end() | check_asked(path, report);
}

static int show_groups(const char *path, struct report *report, struct showing *showing) {
    struct report_limits everything = {.full_names = showing->options.full_names},
                         limits = report_limits_of(&showing->options);
    struct groups *groups = &showing->groups;
    report_prepare(report, &everything);
    if (check_owned(path, report, &showing->options))
        return STATUS_FAILED;
    showing->layouts.debug_directory = showing->symbolizer.debug_directory;
    groups->layouts = groups->by == BY_TYPE ? &showing->layouts : NULL;
    if (groups->layouts)
        type_layouts_read(&showing->layouts, report, &showing->modules);
    if (!group_by_parts(groups->by))
        groups_add_sites(groups, report);
    groups_prepare(groups, &limits);
    groups_write(standard_out(), groups, report, showing->options.format);
    return standard_out_end() | groups_check(path, groups, report);
}

static int show_coverage(struct report *report, struct showing *showing) {
    struct report_limits everything = {.full_names = showing->options.full_names};
    struct coverage coverage = {.count = 0};
    report_prepare(report, &everything);
    coverage_read(&coverage, &showing->modules, report);
    (showing->what == SHOW_UNUSED ? unused_write : coverage_write)(standard_out(), &coverage, report,
                                                                   showing->options.format);
    int status = standard_out_end() | coverage_check(&coverage);
    coverage_free(&coverage);
    return status;
}

static int show_tree(const char *path, struct report *report, struct showing *showing) {
    struct report_limits everything = {.full_names = showing->options.full_names};
    struct tree *tree = &showing->tree;
    report_prepare(report, &everything);
    if (!report->walks.depth)
        return complain(path, "has no calling frames: run the program with ALLOCSITE_OPTIONS=stack=16");
    tree->by = (enum measure)showing->options.sort;
    tree->has_stacks_alone = showing->options.format == FORMAT_TEXT && !showing->is_flame;
    tree_make(tree, report, &showing->symbolizer);
    bool is_json = showing->options.format == FORMAT_JSON;
    (showing->is_flame ? tree_flame : is_json ? tree_json : tree_text)(standard_out(), tree, report);
    return standard_out_end();
}

static int show_what(const char *path, struct report *report, struct showing *showing) {
    if (showing->what == SHOW_TREE)
        return show_tree(path, report, showing);
    if (showing->what != SHOW_ROWS)
        return show_coverage(report, showing);
    if (showing->is_page)
        return show_page(path, report, showing);
    return showing->groups.by == BY_SITE ? show_sites(path, report, showing)
                                         : show_groups(path, report, showing);
}

static int show(const char *path, struct report *report, struct showing *showing) {
    static char directory[PATH_MAX];
    report->directory = getcwd(directory, sizeof directory);
    if (!showing->is_page)
        line_fit(report, STDOUT_FILENO);
    bool has_addresses = showing->what == SHOW_ROWS || showing->what == SHOW_TREE;
    if (has_addresses)
        symbolize_report(&showing->symbolizer, report);
    return show_what(path, report, showing) | laws_check(path, report);
}

/* Without them the page has one view less. */
static void take_page_parts(struct showing *showing, const struct report_source *source) {
    struct reason why;
    showing->lacks_parts |= !groups_add_parts(&showing->threads, source, &why);
    showing->lacks_parts |= !groups_add_parts(&showing->phases, source, &why);
}

/* Of what is joined, nobody knows which thread or phase it was in, nor which modules there were. */
static bool take_parts(void *context, const struct report_source *source, struct reason *why) {
    struct showing *showing = context;
    bool needs_modules =
        showing->what == SHOW_UNUSED || showing->what == SHOW_COVERAGE || showing->groups.by == BY_TYPE;
    if (needs_modules)
        module_list_take(&showing->modules, source);
    if (showing->is_page)
        take_page_parts(showing, source);
    return !group_by_parts(showing->groups.by) || groups_add_parts(&showing->groups, source, why);
}

static int show_file(const char *path, struct showing *showing) {
    struct report_source source;
    struct reason why;
    if (!report_source_load(&source, path, &why))
        return complain(path, "%s", why.text);
    bool is_taken = take_parts(showing, &source, &why);
    if (!is_taken)
        complain(path, "%s", why.text);
    int status = laws_need_whole(path, source.report);
    status |= is_taken ? show(path, source.report, showing) : STATUS_FAILED;
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
    free(showing->suppressed);
    groups_free(&showing->groups);
    groups_free(&showing->threads);
    groups_free(&showing->phases);
    type_layouts_free(&showing->layouts);
    module_list_free(&showing->modules);
    tree_free(&showing->tree);
    symbolizer_free(&showing->symbolizer);
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
         "  --padding                        with --by=type: where the padding of each type is\n"
         "  --tree[=leaf|root]               calling frames, from what allocates (leaf) or from main on\n"
         "  --flame[=root|leaf]              the same drawn: each call as wide as its share\n"
         "  --prune=PERCENT                  with --tree, --flame: hide what has less (default: 1)\n"
         "  --unused                         the sites that never ran\n"
         "  --coverage                       how many of the sites of each file ran\n"
         "  --format=text|json|csv|markdown|html, or a format of allocsite-dump export\n"
         "  -o FILE, --output=FILE           write there\n"
         "  --source                         with --format=html: the lines around sites\n"
         "  --sort=bytes|allocs|live|peak\n"
         "  --top=N                          rows (0: all; default: 20 in text and markdown, else all)\n"
         "  --min-bytes=SIZE, --min-allocs=N hide smaller rows (4096, 64KiB)\n"
         "  --leaks                          only rows with live blocks; lost ones first\n"
         "  --suppress=FILE                  with --leaks: those that are known, in LeakSanitizer's format\n"
         "  --pairs                          who freed and reallocated each site's blocks\n"
         "  --sizes                          the sizes that each site asked for\n"
         "  --names=short|full               of C++ functions and types; json and csv have full ones\n"
         "  --no-symbols                     leave the addresses of unsited allocations as they are\n"
         "  --debug-dir=DIRECTORY            of separate debug files (default: /usr/lib/debug)\n"
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
    return STATUS_DONE;
}

/* The options are those of a run, ALLOCSITE_OPTIONS, by the same names but for the hyphens. */
static const struct option long_options[] = {
    {"format", required_argument, NULL, 'k'},
    {"sort", required_argument, NULL, 'k'},
    {"top", required_argument, NULL, 'k'},
    {"min-bytes", required_argument, NULL, 'k'},
    {"min-allocs", required_argument, NULL, 'k'},
    {"leaks", no_argument, NULL, 'k'},
    {"suppress", required_argument, NULL, 'k'},
    {"pairs", no_argument, NULL, 'k'},
    {"sizes", no_argument, NULL, 'k'},
    {"output", required_argument, NULL, 'o'},
    {"source", no_argument, NULL, 'S'},
    {"names", required_argument, NULL, 'n'},
    {"by", required_argument, NULL, 'b'},
    {"padding", no_argument, NULL, 'p'},
    {"tree", optional_argument, NULL, 't'},
    {"flame", optional_argument, NULL, 'f'},
    {"prune", required_argument, NULL, 'r'},
    {"unused", no_argument, NULL, 'u'},
    {"coverage", no_argument, NULL, 'c'},
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
    char pair[128];
    int length = snprintf(pair, sizeof pair, "%s=%s", name, value);
    if (length >= (int)sizeof pair || strchr(value, ':'))
        return "too long, or with a colon";
    for (char *at = pair; *at != '='; at++)
        if (*at == '-')
            *at = '_';
    wrong[0] = '\0';
    options_parse(options, pair, note_wrong);
    return wrong[0] ? wrong : NULL;
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
    if (showing->what != SHOW_TREE && !showing->of_rows)
        showing->of_rows = showing->sort;
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
    else if (by != BY_SITE && (options->pairs || options->sizes))
        wrong = options->pairs ? "pairs" : "sizes";
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
    showing->is_page = strcmp(value, "html") == 0;
    return set_option(&showing->options, "format", showing->is_page ? "json" : value);
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
    return group_by_read(name, &showing->groups.by)
               ? NULL
               : "not one of site, line, function, file, type, module, thread, phase";
}

/* Options that are of rows alone. */
static const char *take_row_option(struct showing *showing, int option, const char *name, const char *value) {
    if (strcmp(name, "sort") == 0)
        showing->sort = name;
    else if (strcmp(name, "format") != 0)
        showing->of_rows = name;
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
    case 'u':
    case 'c':
        set_what(showing, option == 'u' ? SHOW_UNUSED : SHOW_COVERAGE);
        return NULL;
    case 't':
        return set_tree(showing, value);
    case 'f':
        showing->is_flame = true;
        return set_tree(showing, value ? value : "root");
    case 'r':
        return set_prune(showing, value);
    case 'n':
        return set_option(&showing->options, name, value);
    default:
        return take_row_option(showing, option, name, value);
    }
}

/* Takes the options; optind is where the files begin. done: the status is all that was asked for. */
static int take_arguments(struct showing *showing, int count, char **arguments, bool *done) {
    *showing = (struct showing){.groups = {.by = BY_SITE},
                                .threads = {.by = BY_THREAD},
                                .phases = {.by = BY_PHASE},
                                .tree = {.prune = 1}};
    options_default(&showing->options);
    opterr = 0;
    *done = true;
    for (int option, index = 0;
         (option = getopt_long(count, arguments, "ho:", long_options, &index)) != -1;) {
        if (option == 'h')
            return help();
        if (option == '?')
            return complain_option("report", long_options, arguments[optind - 1]);
        const char *name = long_options[index].name;
        if (strcmp(name, "format") == 0 && export_named(optarg))
            return optind = 0, command_export(count, arguments);
        const char *why = take_option(showing, option, name, optarg);
        if (why)
            return complain_usage("report: --%s=%s is %s", name, optarg, why);
    }
    int status = check_what(showing);
    status = status ? status : check_by(showing);
    status = status ? status : check_page(showing);
    *done = status != STATUS_DONE;
    return status;
}

int report_check_options(int count, char **arguments) {
    struct showing showing;
    bool done;
    optind = 0;
    return take_arguments(&showing, count, arguments, &done);
}

int command_report(int count, char **arguments) {
    struct showing showing;
    bool done;
    optind = 0;
    int status = take_arguments(&showing, count, arguments, &done);
    if (done)
        return status;
    if (optind == count)
        return complain_usage("report: no file");
    if (!read_suppressions(showing.options.suppress, &showing.suppressed))
        return STATUS_FAILED;
    return show_files(arguments + optind, count - optind, &showing);
}
