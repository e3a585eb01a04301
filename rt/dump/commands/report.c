/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump report: what programs have counted, from profiles and from reports that were written as
 * JSON. */
#include "dump/commands/report.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/commands/commands.h"
#include "dump/html/html.h"
#include "dump/join/join.h"
#include "dump/load/loaded.h"
#include "dump/load/source.h"
#include "dump/view/view.h"
#include "model/filter.h"
#include "write/formats.h"
#include "write/lines.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char without_pairs[] = "has no pairs: run the program with ALLOCSITE_OPTIONS=pairs=1";

/* Numbers that the program was asked not to count cannot be shown. */
static int check_owned(const char *path, const struct report *report, const struct options *options) {
    return options_need_owners(options) ? laws_need_owners(path, report) : STATUS_DONE;
}

/* Nor can those that it was not asked to count. */
static int check_asked(const char *path, const struct report *report) {
    bool no_pairs = report->limits.pairs && !report->has_pairs;
    bool no_sizes = report->limits.sizes && report->site_count && !report_has_sizes(report);
    bool no_lifetimes = report->limits.lifetimes && report->site_count && !report_has_lifetimes(report);
    if (no_pairs)
        complain(path, without_pairs);
    if (no_sizes)
        complain(path, "has no sizes: run the program with ALLOCSITE_OPTIONS=sizes=1");
    if (no_lifetimes)
        complain(path, "has no lifetimes: run the program with ALLOCSITE_OPTIONS=lifetime=1");
    return no_pairs || no_sizes || no_lifetimes ? STATUS_FAILED : STATUS_DONE;
}

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
    const char *wrong = *text ? suppress_wrong(*text) : NULL;
    if (wrong)
        complain(path, "is no suppression, not of the form leak:PATTERN: %.*s", (int)strcspn(wrong, "\r\n"),
                 wrong);
    return *text && !wrong;
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
                              .threads = report->has_parts ? &showing->threads : NULL,
                              .phases = report->has_parts ? &showing->phases : NULL,
                              .moment = showing->moment,
                              .has_source = showing->has_source};
    limits.suppressed = showing->suppressed;
    report_prepare(report, &limits);
    if (check_owned(path, report, &showing->options))
        return STATUS_FAILED;
    groups_add_parts(&showing->threads, report);
    groups_add_parts(&showing->phases, report);
    groups_prepare(&showing->threads, &everything);
    groups_prepare(&showing->phases, &everything);
    html_write(standard_out(), &page);
    return standard_out_end() | check_asked(path, report);
}

/* With all its rows. */
static void prepare_all(struct report *report, const struct showing *showing) {
    struct report_limits everything = {.full_names = showing->options.full_names};
    report_prepare(report, &everything);
}

static void read_layouts(struct groups *groups, const struct report *report, struct showing *showing) {
    showing->layouts.debug_directory = showing->symbolizer.debug_directory;
    type_layouts_read(&showing->layouts, report, &showing->modules);
    groups_use_layouts(groups, &showing->layouts);
}

static int show_groups(const char *path, struct report *report, struct showing *showing) {
    struct report_limits limits = report_limits_of(&showing->options);
    struct groups *groups = &showing->groups;
    prepare_all(report, showing);
    if (check_owned(path, report, &showing->options))
        return STATUS_FAILED;
    if (groups->by == BY_FREED && !report->has_pairs)
        return complain(path, without_pairs);
    if (groups->by == BY_STACK && laws_need_stacks(path, report->walks.depth))
        return STATUS_FAILED;
    groups->filter = showing->options.filter;
    groups->apart = !format_is_for_programs(showing->options.format);
    groups->depth = showing->options.depth;
    if (groups->by == BY_TYPE)
        read_layouts(groups, report, showing);
    (group_by_parts(groups->by) ? groups_add_parts : groups_add_sites)(groups, report);
    groups_prepare(groups, &limits);
    groups_write(standard_out(), groups, report, showing->options.format);
    return standard_out_end() | groups_check(path, groups, report);
}

static int show_coverage(struct report *report, struct showing *showing) {
    struct coverage coverage = {.count = 0};
    prepare_all(report, showing);
    coverage_read(&coverage, &showing->modules, report);
    coverage_write(standard_out(), &coverage, report, showing->options.format, showing->what == SHOW_UNUSED);
    int status = standard_out_end() | coverage_check(&coverage);
    coverage_free(&coverage);
    return status;
}

static int show_tree(const char *path, struct report *report, struct showing *showing) {
    struct tree *tree = &showing->tree;
    prepare_all(report, showing);
    if (laws_need_stacks(path, report->walks.depth))
        return STATUS_FAILED;
    const struct options *options = &showing->options;
    tree->by = (enum measure)options->sort;
    tree->filter = options->filter;
    tree->depth = options->depth;
    tree->least[MEASURE_BYTES] = options->min_bytes;
    tree->least[MEASURE_ALLOCS] = options->min_allocs;
    tree->has_stacks_alone = options->format == FORMAT_TEXT && !showing->is_flame;
    tree_make(tree, report, &showing->symbolizer);
    bool is_json = options->format == FORMAT_JSON;
    (showing->is_flame ? tree_flame : is_json ? tree_json : tree_text)(standard_out(), tree, report);
    return standard_out_end();
}

static int show_events(const char *path, struct report *report, struct showing *showing) {
    const struct options *options = &showing->options;
    prepare_all(report, showing);
    if (!report->has_pairs && !options->leaks)
        return complain(path, without_pairs);
    if (options->format == FORMAT_JSON)
        events_json(standard_out(), report, options->filter, options->leaks);
    else
        events_write(standard_out(), report, options->filter, options->leaks,
                     options->format == FORMAT_MARKDOWN);
    return standard_out_end();
}

/* With what is to be looked at in all, or with advice alone. */
static int show_findings(struct report *report, struct showing *showing) {
    const struct options *options = &showing->options;
    struct findings findings = {.report = report,
                                .filter = options->filter[0] ? options->filter : NULL,
                                .suppressed = showing->suppressed,
                                .has_live = options->leaks};
    prepare_all(report, showing);
    showing->groups.by = BY_TYPE;
    read_layouts(&showing->groups, report, showing);
    groups_add_sites(&showing->groups, report);
    if (showing->what == SHOW_FINDINGS) {
        findings_add_faults(&findings);
        findings_add_leaks(&findings);
    }
    findings_add_advice(&findings, &showing->groups);
    findings_sort(&findings);
    findings_function *write = options->format == FORMAT_JSON ? advice_json : advice_text;
    (showing->write_findings ? showing->write_findings : write)(standard_out(), &findings);
    findings_free(&findings);
    return standard_out_end();
}

static int show_history(const char *path, struct report *report, struct showing *showing) {
    struct report_limits limits = report_limits_of(&showing->options);
    struct history history;
    prepare_all(report, showing);
    if (!showing->moment)
        return complain(path, "is no recording, which alone has a history: allocsite-dump record");
    if (laws_need_owners(path, report))
        return STATUS_FAILED;
    history_make(&history, showing->moment, &limits, showing->is_growth);
    if (showing->options.format == FORMAT_JSON)
        history_json(standard_out(), &history, &limits);
    else
        history_text(standard_out(), &history, &limits, showing->is_growth);
    history_free(&history);
    return standard_out_end();
}

static int show_what(const char *path, struct report *report, struct showing *showing) {
    if (showing->what == SHOW_TREE)
        return show_tree(path, report, showing);
    if (showing->what == SHOW_EVENTS)
        return show_events(path, report, showing);
    if (showing->what == SHOW_ADVICE || showing->what == SHOW_FINDINGS)
        return show_findings(report, showing);
    if (showing->what == SHOW_HISTORY)
        return show_history(path, report, showing);
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
    if (showing->is_page)
        line_directory(report);
    else if (!showing->write_findings)
        line_fit(report, standard_out_terminal());
    bool has_addresses = showing->what != SHOW_UNUSED && showing->what != SHOW_COVERAGE;
    if (has_addresses)
        symbolize_report(&showing->symbolizer, report);
    if (report_filter_is_vain(report, showing->options.filter))
        complain(path, "filter: nothing that allocated matches %s", showing->options.filter);
    return show_what(path, report, showing) | laws_check(path, report);
}

/* Of what is joined, nobody knows which modules there were, nor which file lacks what is asked for. */
static bool take_file(void *context, const struct report_source *source, struct reason *why) {
    struct showing *showing = context;
    bool needs_modules = showing->what == SHOW_UNUSED || showing->what == SHOW_COVERAGE ||
                         showing->what == SHOW_ADVICE || showing->what == SHOW_FINDINGS ||
                         showing->groups.by == BY_TYPE;
    if (needs_modules)
        module_list_take(&showing->modules, source);
    return !group_by_parts(showing->groups.by) || groups_need_parts(source, showing->groups.by, why);
}

static int show_file(const char *path, struct showing *showing) {
    struct report_source source;
    struct reason why;
    if (!report_source_load(&source, path, &why))
        return complain(path, "%s", why.text);
    bool is_taken = take_file(showing, &source, &why);
    if (!is_taken)
        complain(path, "%s", why.text);
    int status = laws_need_whole(path, source.report);
    showing->moment = source.is_recording ? &source.moment : NULL;
    status |= is_taken ? show(path, source.report, showing) : STATUS_FAILED;
    report_source_free(&source);
    return status;
}

static int show_joined(char **paths, int count, struct showing *showing) {
    struct joined joined = {.reports = 0};
    int status = join_files(&joined, paths, count, take_file, showing);
    if (joined.reports)
        status |= show("all files together", &joined.report, showing);
    joined_free(&joined);
    return status;
}

/* They live as long as the command does. */
static void add_moment(char **paths, int count, const char *at) {
    for (int i = 0; i < count; i++)
        paths[i] = memory_text("%s@%s", paths[i], at);
}

static int show_files(char **paths, int count, struct showing *showing) {
    if (showing->at)
        add_moment(paths, count, showing->at);
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

int command_report(int count, char **arguments) {
    struct showing showing;
    int status = report_options(&showing, count, arguments);
    if (status != ARGUMENTS_TAKEN)
        return status;
    if (showing.is_export)
        return command_export(count, arguments);
    if (optind == count)
        return complain_usage("report: no file");
    if (!read_suppressions(showing.options.suppress, &showing.suppressed))
        return STATUS_FAILED;
    return show_files(arguments + optind, count - optind, &showing);
}
