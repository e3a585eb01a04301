/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* allocsite-dump report: shows reports of profiles, recordings and running processes. */
#include "dump/commands/report.h"
#include "dump/base/files.h"
#include "dump/base/memory.h"
#include "dump/join/join.h"
#include "dump/line/chooser.h"
#include "model/filter.h"
#include "model/suppress.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the file of known leaks. Returns its first wrong line; NULL: none. False in *is_read: *why has the
 * reason. */
static const char *read_suppressions(struct showing *showing, bool *is_read, struct reason *why) {
    const char *path = showing->options.suppress;
    char *bytes;
    size_t size;
    *is_read = strcmp(path, "none") == 0;
    if (*is_read || !(*is_read = whole_input(path, &bytes, &size, why)))
        return NULL;
    showing->suppressed = memory_need(strndup(bytes, size));
    free(bytes);
    return suppress_wrong(showing->suppressed);
}

static bool need_suppressions(struct showing *showing) {
    struct reason why;
    bool is_read;
    const char *wrong = read_suppressions(showing, &is_read, &why);
    if (!is_read)
        complain_file(showing->options.suppress, "%s", why.text);
    if (wrong)
        complain_file(showing->options.suppress, "has a line that is not of the form leak:PATTERN: %.*s",
                      (int)strcspn(wrong, "\r\n"), wrong);
    return is_read && !wrong;
}

/* JSON by site has sites as they were counted, not the chosen lines. */
static bool is_of_sites(const struct showing *showing) {
    return showing->view == REPORT_rows && showing->groups.by == BY_SITE &&
           showing->options.format == FORMAT_JSON;
}

/* Editors need unabridged paths. */
static int show_report(const char *path, struct report *report, struct showing *showing) {
    static char directory[PATH_MAX];
    const struct view_row *view = &view_rows[showing->view];
    report->directory = getcwd(directory, sizeof directory);
    if (showing->format == FORMAT_HTML)
        line_directory(report);
    else if (showing->format < FORMATS)
        line_fit(report, standard_out_terminal());
    if (view->looks_up & OF_NAMES)
        symbolize_report(&showing->symbolizer, report);
    if (showing->format < FORMATS) {
        symbolizer_nameless(&showing->symbolizer, report);
        line_names(report, NULL);
    }
    if (report_filter_has_no_match(report, showing->options.filter))
        complain_file(path, "filter: no allocating site matches %s", showing->options.filter);
    bool has_paths = is_of_sites(showing) || showing->groups.by == BY_STACK;
    struct line_paths *paths = has_paths ? line_paths_make(&showing->symbolizer, report) : NULL;
    if (paths)
        report->paths = &paths->paths;
    int status = view->show(path, report, showing) | laws_check(path, report);
    line_paths_free(paths);
    return status;
}

/* A merged report does not know the modules of each file, nor which file lacks requested data. So both are
 * determined before the merge. */
static bool take_file(void *context, const struct report_source *source, struct reason *why) {
    struct showing *showing = context;
    showing->symbolizer.line = showing->options.line;
    if (is_of_sites(showing))
        report_source_paths(source, &showing->symbolizer);
    else if (view_rows[showing->view].looks_up & OF_NAMES)
        report_source_lines(source, &showing->symbolizer);
    bool needs_modules = view_rows[showing->view].looks_up & OF_FILES || showing->groups.by == BY_TYPE;
    if (needs_modules)
        module_list_take(&showing->modules, source);
    return !group_by_parts(showing->groups.by) || groups_need_parts(source, showing->groups.by, why);
}

static int show_file(const char *path, struct showing *showing) {
    struct report_source source;
    struct reason why;
    if (!report_source_load(&source, path, &why))
        return complain_file(path, "%s", why.text);
    bool is_taken = take_file(showing, &source, &why);
    if (!is_taken)
        complain_file(path, "%s", why.text);
    int status = laws_need_whole(path, source.report);
    showing->moment = source.is_recording ? &source.moment : NULL;
    status |= is_taken ? show_report(path, source.report, showing) : STATUS_FAILED;
    report_source_free(&source);
    return status;
}

static int show_joined(char **paths, int count, struct showing *showing) {
    struct joined joined = {.reports = 0};
    int status = join_files(&joined, paths, count, take_file, showing);
    if (joined.reports)
        status |= show_report("all files together", &joined.report, showing);
    joined_free(&joined);
    return status;
}

/* The new paths live as long as the command. */
static void add_moment(char **paths, int count, const char *at) {
    for (int i = 0; i < count; i++)
        paths[i] = memory_text("%s@%s", paths[i], at);
}

static int show_all(char **paths, int count, struct showing *showing) {
    if (showing->at)
        add_moment(paths, count, showing->at);
    profile_threads_are_phases(showing->format == FORMAT_HTML);
    int status = count == 1 ? show_file(paths[0], showing) : show_joined(paths, count, showing);
    free(showing->suppressed);
    groups_free(&showing->groups);
    groups_free(&showing->threads);
    groups_free(&showing->phases);
    type_layouts_free(&showing->layouts);
    module_list_free(&showing->modules);
    symbolizer_free(&showing->symbolizer);
    return status;
}

int report_files(struct showing *showing, const char *command, int count, char **arguments) {
    if (optind == count)
        return complain_usage("%s: no file", command);
    if (!need_suppressions(showing))
        return STATUS_FAILED;
    return show_all(arguments + optind, count - optind, showing);
}

int command_report(int count, char **arguments) {
    struct showing showing;
    int status = report_options(&showing, count, arguments);
    return status == ARGUMENTS_TAKEN ? report_files(&showing, "report", count, arguments) : status;
}

/* Refuses to show numbers that the program did not count. */
static int check_counted(const struct report *report, const struct showing *showing, const char *only) {
    const struct options *options = &showing->options;
    bool is_unowned = report_unowned_reason(report) && options_need_owners(options);
    const char *wanted =
        is_unowned                                                                 ? "with owners=0"
        : (options->pairs || showing->groups.by == BY_FREED) && !report->has_pairs ? "without pairs=1"
        : options->sizes && report->site_count && !report_has_sizes(report)        ? "without sizes=1"
        : group_by_stacks(showing->groups.by) && !report->walks.depth              ? "without stack=16"
                                                                                   : NULL;
    if (!wanted || !only)
        return STATUS_DONE;
    fprintf(stderr, "allocsite: no report, the program was run %s: %s\n", wanted, only);
    return STATUS_USAGE;
}

/* Reports errors in the file and uses its valid lines. */
static void take_suppressions(struct showing *showing) {
    struct reason why;
    bool is_read;
    const char *wrong = read_suppressions(showing, &is_read, &why);
    if (!is_read)
        fprintf(stderr, "allocsite: no suppressions from %s: %s\n", showing->options.suppress, why.text);
    if (wrong)
        fprintf(stderr, "allocsite: suppression ignored, not of the form leak:PATTERN: %.*s\n",
                (int)strcspn(wrong, "\r\n"), wrong);
}

/* Limit of the time that an ending program waits for the lines of functions without a site. */
enum { EXIT_REPORT_MILLISECONDS = 2000 };

/* The path of the profile on standard input; NULL: it exists only in memory. */
static const char *path_of_input(void) {
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/fd/0", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return access(path, R_OK) == 0 ? path : NULL;
}

static void report_late(void) {
    const char *path = path_of_input();
    fprintf(stderr,
            "allocsite: some functions have no lines, because reading their debug information takes more "
            "than %d s; ",
            EXIT_REPORT_MILLISECONDS / 1000);
    if (path)
        fprintf(stderr, "for the lines: allocsite-dump report %s\n", path);
    else
        fprintf(stderr, "for the lines run with profile=FILE, then: allocsite-dump report FILE\n");
}

/* Returns true if the program, which has ended, left blocks that are leaks: with reach=1 only leaked ones
 * are.
 */
static bool has_leaks(const struct report *report, const struct showing *showing) {
    for (size_t i = 0; i < report->counted && showing->options.leaks && !report->is_unowned; i++) {
        const struct report_site *site = report->sites[i];
        bool is_leak = report->reach ? site->counters.leaked_blocks : site->counters.live_blocks;
        bool is_known = showing->suppressed && suppress_matches(showing->suppressed, site);
        if (is_leak && !is_known && !report_library_use(site) && !site->view.outside_totals)
            return true;
    }
    return false;
}

int report_standard_input(struct showing *showing, bool is_end, const char *only) {
    struct report_source source;
    struct reason why;
    showing->symbolizer.is_quiet = true;
    showing->symbolizer.milliseconds = EXIT_REPORT_MILLISECONDS;
    int status = report_check_keys(showing);
    if (status != STATUS_DONE)
        return status;
    take_suppressions(showing);
    profile_threads_are_phases(showing->format == FORMAT_HTML);
    if (!report_source_load(&source, "-", &why)) {
        complain_file("standard input", "%s", why.text);
        return STATUS_NOT_WRITTEN;
    }
    if (is_end) {
        source.report->finished = true;
        source.report->running = false;
    }
    take_file(showing, &source, &why);
    showing->is_lenient = !only;
    status = check_counted(source.report, showing, only);
    if (status == STATUS_DONE)
        status = show_report(source.report->program, source.report, showing);
    if (showing->symbolizer.is_late)
        report_late();
    if (is_end && status <= STATUS_FAILED && has_leaks(source.report, showing))
        status = STATUS_LEAKS;
    report_source_free(&source);
    return standard_out_failed() ? STATUS_NOT_WRITTEN : status;
}
