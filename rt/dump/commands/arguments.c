/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "dump/commands/commands.h"

#include "base/words.h"
#include "dump/base/files.h"
#include "dump/view/measure.h"
#include "model/options.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of long options begin after all one-letter options. */
enum { FIRST = 256 };

static size_t count_of(const struct argument *list) {
    size_t count = 0;
    while (list[count].name)
        count++;
    return count;
}

static void fill_options(struct option *known, const struct argument *list) {
    size_t count = 0;
    for (; list[count].name; count++)
        known[count] = (struct option){
            .name = list[count].name, .has_arg = list[count].has_value, .val = FIRST + (int)count};
    known[count] = (struct option){"help", no_argument, NULL, 'h'};
    known[count + 1] = (struct option){0};
}

/* Index in the list; the end of the list if the name is not there. */
static int find_argument(const struct argument *list, const char *name) {
    int at = 0;
    while (list[at].name && strcmp(list[at].name, name) != 0)
        at++;
    return at;
}

bool arguments_have(const struct argument *list, uint64_t given, const char *name) {
    return given >> find_argument(list, name) & 1;
}

bool arguments_have_line(const struct argument *list, uint64_t given) {
    return arguments_have(list, given, "line") || arguments_have(list, given, "skip") ||
           arguments_have(list, given, "stop");
}

/* ---- Options that are keys of ALLOCSITE_OPTIONS, with hyphens for underscores. */

static char wrong_with_it[128];

static void note_wrong(const char *what, const char *pair, size_t length) {
    (void)pair, (void)length;
    snprintf(wrong_with_it, sizeof wrong_with_it, "%s", what);
}

/* Returns NULL or an error message. */
static const char *take_of_run(struct options *options, const char *name, const char *value) {
    char pair[OPTIONS_PATH_SIZE + 64], quote = strchr(value, '"') ? '\'' : '"';
    int length = snprintf(pair, sizeof pair, "%s=%c%s%c", name, quote, value, quote);
    if (length >= (int)sizeof pair || strchr(value, quote))
        return "too long, or contains quotes";
    for (char *at = pair; *at != '='; at++)
        if (*at == '-')
            *at = '_';
    wrong_with_it[0] = '\0';
    options_parse(options, pair, note_wrong);
    return wrong_with_it[0] ? wrong_with_it : NULL;
}

/* ---- The options of a command. */

const char *format_of_path(const char *path) {
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    size_t length = strlen(path);
    return !dot                                                     ? ""
           : strcmp(dot, ".md") == 0                                ? "markdown"
           : length > 6 && strcmp(path + length - 6, ".pb.gz") == 0 ? "pprof"
                                                                    : dot + 1;
}

static int take_argument(const struct arguments *arguments, const struct argument *given, void *options) {
    void *to = (char *)options + given->offset;
    const char *none = given->has_value == optional_argument ? NULL : given->name;
    const char *wrong = given->take ? NULL : take_of_run(to, given->name, optarg ? optarg : "1");
    const char *right = given->take ? given->take(to, optarg ? optarg : none) : NULL;
    if (wrong)
        return complain_usage("%s: --%s=%s is %s", arguments->command, given->name, optarg, wrong);
    return right ? complain_value(arguments->command, given->name, optarg, right) : STATUS_DONE;
}

static void take_format_of_output(const struct arguments *arguments, void *options, uint64_t given,
                                  const char *path) {
    const struct argument *format = &arguments->list[find_argument(arguments->list, "format")];
    if (path && format->name && !arguments_have(arguments->list, given, "format"))
        format->take((char *)options + format->offset, format_of_path(path));
}

int arguments_take_given(const struct arguments *arguments, void *options, int count, char **words,
                         uint64_t *given) {
    const char *path = NULL;
    *given = 0;
    struct option known[count_of(arguments->list) + 2];
    int output = find_argument(arguments->list, "output");
    fill_options(known, arguments->list);
    if (arguments->list[output].name)
        known[output].val = 'o';
    const char *letters = arguments->list[output].name ? "ho:" : "h";
    optind = 0;
    opterr = 0;
    for (int option; (option = getopt_long(count, words, letters, known, NULL)) != -1;) {
        if (option == 'h')
            return puts(arguments->help), STATUS_DONE;
        if (option == '?')
            return complain_option(arguments->command, known, words);
        int number = option == 'o' ? output : option - FIRST;
        int wrong = take_argument(arguments, &arguments->list[number], options);
        if (wrong != STATUS_DONE)
            return wrong;
        *given |= UINT64_C(1) << number;
        if (option == 'o' && new_file_check(path = optarg) != STATUS_DONE)
            return STATUS_FAILED;
    }
    take_format_of_output(arguments, options, *given, path);
    return ARGUMENTS_TAKEN;
}

int arguments_take(const struct arguments *arguments, void *options, int count, char **words) {
    uint64_t given;
    return arguments_take_given(arguments, options, count, words, &given);
}

/* ---- Values. */

const char *take_nothing(void *to, const char *value) {
    (void)to, (void)value;
    return NULL;
}

const char *take_flag(void *to, const char *value) {
    (void)value;
    *(bool *)to = true;
    return NULL;
}

const char *take_text(void *to, const char *value) {
    *(const char **)to = value;
    return NULL;
}

const char *take_number(void *to, const char *value) {
    return amount_read_all(value, false, to) ? "a number" : NULL;
}

const char *take_positive(void *to, const char *value) {
    return take_number(to, value) || !*(uint64_t *)to ? "a number" : NULL;
}

const char *take_size(void *to, const char *value) {
    return amount_read_all(value, true, to) ? "a size such as 4096 or 64KiB" : NULL;
}

const char *take_seconds(void *to, const char *value) {
    char *end;
    double seconds = strtod(value, &end);
    bool is_right = !*end && seconds >= 0.01 && seconds <= 86400;
    *(uint64_t *)to = is_right ? (uint64_t)(seconds * 1e9) : 0;
    return is_right ? NULL : "seconds from 0.01 to 86400";
}

const char *take_sort(void *to, const char *value) {
    enum measure measure = measure_named(value, strlen(value));
    *(enum measure *)to = measure;
    return measure < MEASURE_SORTS ? NULL : "bytes, allocs, live or peak";
}

const char *take_by_stack(void *to, const char *value) {
    enum group_by by;
    bool is_known = group_by_read(value, strlen(value), &by) && (by == BY_SITE || by == BY_STACK);
    *(bool *)to = is_known && by == BY_STACK;
    return is_known ? NULL : "site or stack";
}

const char *take_line(void *to, const char *value) {
    return line_options_set(to, "line", value) ? "auto, site or outermost-library" : NULL;
}

static const char globs[] = "globs, separated by commas";

const char *take_skip(void *to, const char *value) {
    return line_options_set(to, "skip", value) ? globs : NULL;
}

const char *take_stop(void *to, const char *value) {
    return line_options_set(to, "stop", value) ? globs : NULL;
}

const char *take_full_names(void *to, const char *value) {
    bool is_full = strcmp(value, "full") == 0;
    *(bool *)to = is_full;
    return is_full || strcmp(value, "short") == 0 ? NULL : "short or full";
}

const char *take_output_file(void *to, const char *value) {
    (void)to;
    standard_out_to(value);
    return NULL;
}
