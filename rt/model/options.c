/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of a run. */
#include "model/options.h"

#include "base/arrays.h"
#include "base/words.h"

#include <signal.h>
#include <string.h>

/* ---- What a row is of. */

static const char *const group_names[] = {
    [BY_SITE] = "site",     [BY_LINE] = "line",     [BY_FUNCTION] = "function", [BY_FILE] = "file",
    [BY_TYPE] = "type",     [BY_MODULE] = "module", [BY_STACK] = "stack",       [BY_FREED] = "freed",
    [BY_THREAD] = "thread", [BY_PHASE] = "phase",
};
COVERS(group_names, BYS);

const char *group_by_name(enum group_by by) {
    return group_names[by];
}

bool group_by_read(const char *name, size_t length, enum group_by *by) {
    for (size_t i = 0; i < BYS; i++)
        if (strlen(group_names[i]) == length && memcmp(group_names[i], name, length) == 0) {
            *by = (enum group_by)i;
            return true;
        }
    return false;
}

/* ---- Parsing the options of a run. */

struct word {
    const char *text;
    int value;
};

static const struct word booleans[] = {{"0", 0}, {"1", 1}, {0}};
static const struct word names[] = {{"short", 0}, {"full", 1}, {0}};
static const struct word sorts[] = {
    {"bytes", SORT_BYTES}, {"allocs", SORT_ALLOCS}, {"live", SORT_LIVE}, {"peak", SORT_PEAK}, {0}};
COVERS(sorts, SORTS + 1);

struct value {
    const char *text;
    size_t length;
};

static bool value_is(struct value value, const char *word) {
    return strlen(word) == value.length && memcmp(value.text, word, value.length) == 0;
}

static bool value_word(struct value value, const struct word *words, int *out) {
    for (; words->text; words++)
        if (value_is(value, words->text)) {
            *out = words->value;
            return true;
        }
    return false;
}

static bool value_amount(struct value value, bool is_bytes, uint64_t *out) {
    char text[40];
    uint64_t amount;
    if (value.length >= sizeof text)
        return false;
    memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    if (amount_read_all(text, is_bytes, &amount))
        return false;
    *out = amount;
    return true;
}

/* NULL, or what would be right. */
static const char *read_number(struct value value, void *out) {
    return value_amount(value, false, out) ? NULL : "not a number";
}

static const char *read_size(struct value value, void *out) {
    return value_amount(value, true, out) ? NULL : "not a size, as 4096 or 64KiB";
}

#define READ_WORD(name, type, words, wrong)                                                                  \
    static const char *name(struct value value, void *out) {                                                 \
        int number;                                                                                          \
        if (!value_word(value, words, &number))                                                              \
            return wrong;                                                                                    \
        *(type *)out = (type)number;                                                                         \
        return NULL;                                                                                         \
    }

READ_WORD(read_boolean, bool, booleans, "neither 0 nor 1")
READ_WORD(read_names, bool, names, "not one of short, full")
READ_WORD(read_sort, enum report_sort, sorts, "not one of bytes, allocs, live, peak")

static const char *read_path(struct value value, void *path) {
    if (value.length == 0)
        return "no path";
    if (value.length >= OPTIONS_PATH_SIZE)
        return "the value is too long";
    memcpy(path, value.text, value.length);
    ((char *)path)[value.length] = '\0';
    return NULL;
}

/* all: the word for no patterns. */
static const char *read_patterns(struct value value, void *patterns, const char *all) {
    if (!value_is(value, all))
        return read_path(value, patterns);
    *(char *)patterns = '\0';
    return NULL;
}

static const char *read_filter(struct value value, void *filter) {
    return read_patterns(value, filter, "none");
}

static const char *read_stack_sites(struct value value, void *sites) {
    return read_patterns(value, sites, "all");
}

bool format_named(const char *name, size_t length, unsigned formats, enum report_format *found) {
    for (enum report_format format = 0; format < FORMATS; format++)
        if (strncmp(format_name(format), name, length) == 0 && !format_name(format)[length] &&
            formats >> format & 1) {
            *found = format;
            return true;
        }
    return false;
}

#define FORMAT_NAME(format, name, ...) " " #name
#define FORMAT_NAMES                   ALLOCSITE_FORMATS(FORMAT_NAME)

static const char *read_format(struct value value, void *format) {
    bool is_one = format_named(value.text, value.length, FORMATS_ALL, format);
    return is_one ? NULL : "not one of" FORMAT_NAMES;
}

bool options_need_owners(const struct options *options) {
    return options->leaks || options->pairs || options->sizes || options->temporary || options->lifetime ||
           options->reach || options->stack || options->contexts - 1 < OPTIONS_CONTEXTS_COMPILED - 1 ||
           strcmp(options->list, "none") != 0 || strcmp(options->graph, "none") != 0 ||
           options->by == BY_FREED || options->sort == SORT_LIVE || options->sort == SORT_PEAK;
}

static const struct word signals[] = {
    {"HUP", SIGHUP},   {"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
    {"TERM", SIGTERM}, {"WINCH", SIGWINCH}, {"none", 0},       {0}};

static const char *read_signal(struct value value, void *out) {
    uint64_t number;
    int *signal = out;
    if (value_amount(value, false, &number)) {
        bool fits = number > 0 && number < 65 && number != SIGKILL && number != SIGSTOP;
        *signal = fits ? (int)number : *signal;
        return fits ? NULL : "not the number of a signal that can be handled";
    }
    if (value.length > 3 && memcmp(value.text, "SIG", 3) == 0)
        value = (struct value){value.text + 3, value.length - 3};
    return value_word(value, signals, signal)
               ? NULL
               : "not a number, nor one of HUP, USR1, USR2, ALRM, TERM, WINCH, none";
}

static const char *read_stack(struct value value, void *out) {
    uint64_t frames;
    if (!value_amount(value, false, &frames) || frames > OPTIONS_STACK_MOST)
        return "not a number up to 64";
    *(uint64_t *)out = frames;
    return NULL;
}

static const char *read_contexts(struct value value, void *out) {
    uint64_t contexts = OPTIONS_CONTEXTS_COMPILED;
    if (!value_is(value, "auto") && !value_amount(value, false, &contexts))
        return "neither a number nor auto";
    *(uint64_t *)out = contexts;
    return NULL;
}

static const char *read_by(struct value value, void *out) {
    enum group_by by;
    if (!group_by_read(value.text, value.length, &by) || group_by_parts(by))
        return "not one of site, line, function, file, type, module, stack, freed";
    *(enum group_by *)out = by;
    return NULL;
}

/* SHOW: of what a report looks like. */
#define KEY(name, member, read, standard, help)                                                              \
    { name, offsetof(struct options, member), read, standard, help, false }
#define SHOW(name, member, read, standard, help)                                                             \
    { name, offsetof(struct options, member), read, standard, help, true }

static const struct key {
    const char *name;
    size_t offset;
    const char *(*read)(struct value, void *member);
    const char *standard, *help;
    bool is_of_report;
} keys[] = {
    KEY("enabled", enabled, read_boolean, "1", "0: count nothing, cost nothing"),
    KEY("report", report, read_path, "stderr",
        "where the exit report goes: stderr, stdout, none, or a path (%p pid, %e program, %h host)"),
    SHOW("format", format, read_format, "text", "of the exit report:" FORMAT_NAMES),
    SHOW("names", full_names, read_names, "short",
         "of C++ functions and types for people; full: as the compiler has them"),
    SHOW("top", top, read_number, "20", "rows; 0: all"),
    SHOW("sort", sort, read_sort, "bytes", "bytes, allocs, live, peak"),
    SHOW("by", by, read_by, "site", "what a row is of: line, function, file, type, module, stack, freed"),
    SHOW("filter", filter, read_filter, "none", "only sites that match: GLOB, or type=GLOB, file=GLOB, ..."),
    SHOW("depth", depth, read_stack, "0", "frames that are shown of stacks; 0: all"),
    SHOW("min_bytes", min_bytes, read_size, "0", "hide smaller sites; sizes may be written as 64KiB"),
    SHOW("min_allocs", min_allocs, read_number, "0", "hide sites of fewer calls"),
    SHOW("leaks", leaks, read_boolean, "0", "1: only sites with live blocks"),
    KEY("reach", reach, read_boolean, "0", "1: tell lost blocks from reachable ones"),
    SHOW("suppress", suppress, read_path, "none",
         "with leaks=1: file of known leaks, in LeakSanitizer's format"),
    KEY("owners", owners, read_boolean, "1", "0: only what is allocated is counted, at a third of the cost"),
    SHOW("pairs", pairs, read_boolean, "0", "1: who frees and reallocates whose blocks"),
    SHOW("sizes", sizes, read_boolean, "0", "1: a histogram of sizes for each site"),
    SHOW("lifetime", lifetime, read_boolean, "0", "1: how long the blocks of each site live"),
    KEY("temporary", temporary, read_boolean, "0",
        "1: blocks that are freed before their thread allocates again"),
    KEY("repeats", repeats, read_boolean, "0", "1: texts that strdup copies at a site again"),
    KEY("profile", profile, read_path, "none", "path of the crash-proof profile, with the same % patterns"),
    KEY("graph", graph, read_path, "none",
        "path of a snapshot of which blocks hold which, at exit and at the signal"),
    KEY("signal", signal, read_signal, "none", "a report at this signal: USR2, ... or a number"),
    KEY("fatal", fatal, read_boolean, "0", "1: report also when a signal ends the program"),
    KEY("signal_start", signal_start, read_signal, "none",
        "counting starts at this signal, and stops at the next"),
    KEY("stopped", stopped, read_boolean, "0", "1: nothing is counted until it is started"),
    KEY("stack", stack, read_stack, "0", "calling frames kept for each allocation, up to 64"),
    KEY("contexts", contexts, read_contexts, "auto",
        "whole stacks kept, at most 65520; auto: so many if compiled with -fallocsite-contexts"),
    KEY("contexts_check", contexts_check, read_boolean, "0",
        "1: compare contexts with the stack at each allocation"),
    KEY("stack_sites", stack_sites, read_stack_sites, "all",
        "only of what matches: file:line, function, globs, separated by commas"),
    KEY("list", list, read_path, "none", "file of wrappers, fun:NAME=wrapper: bill who calls them"),
    KEY("hook", hook, read_path, "none",
        "path of a shared object that is loaded, to call allocsite_on_event"),
    KEY("break", break_at, read_path, "none",
        "'SITE:N', in quotes: stop in the debugger at its Nth allocation"),
    KEY("help", help, read_boolean, "0", "1: tell all this at the start"),
};

enum { KEYS = sizeof keys / sizeof *keys };

void options_help(struct out *out) {
    for (size_t i = 0; i < KEYS; i++) {
        size_t width = strlen(keys[i].name) + 1 + strlen(keys[i].standard);
        out_text(out, "  ");
        out_text(out, keys[i].name);
        out_char(out, '=');
        out_text(out, keys[i].standard);
        for (; width < 18; width++)
            out_char(out, ' ');
        out_text(out, keys[i].help);
        out_char(out, '\n');
    }
}

/* The key that the name may have been meant to be; NULL: none. */
static const char *options_similar(const char *name, size_t length) {
    struct similar similar = {.word = name, .length = length};
    for (size_t i = 0; i < KEYS; i++)
        similar_try(&similar, keys[i].name);
    return similar.best;
}

static const char *set_key(struct options *options, const struct key *key, struct value value) {
    const char *wrong = key->read(value, (char *)options + key->offset);
    options->top_given |= !wrong && key->offset == offsetof(struct options, top);
    return wrong;
}

void options_default(struct options *options) {
    *options = (struct options){.top_given = false};
    for (size_t i = 0; i < KEYS; i++) {
        const char *standard = keys[i].standard;
        keys[i].read((struct value){standard, strlen(standard)}, (char *)options + keys[i].offset);
    }
}

/* A value in quotes may have colons. */
static size_t pair_length(const char *text, bool *is_open) {
    const char *at = text;
    char quote = 0;
    for (; *at && (*at != ':' || quote); at++)
        if (*at == quote)
            quote = 0;
        else if ((*at == '"' || *at == '\'') && at > text && at[-1] == '=')
            quote = *at;
    *is_open = quote;
    return (size_t)(at - text);
}

static struct value unquoted(struct value value) {
    char first = value.length > 1 ? value.text[0] : 0;
    if ((first != '"' && first != '\'') || value.text[value.length - 1] != first)
        return value;
    return (struct value){value.text + 1, value.length - 2};
}

enum { WRONG_SIZE = 128 };

static const char *unknown_key(struct value name, char wrong[WRONG_SIZE]) {
    const char *similar = options_similar(name.text, name.length);
    if (!similar)
        return "unknown key, help=1 tells all";
    strcpy(wrong, "unknown key, did you mean ");
    return strcat(strcat(wrong, similar), "?");
}

static const char *set_pair(struct options *options, const char *pair, size_t length, char wrong[WRONG_SIZE],
                            bool is_report) {
    const char *equals = memchr(pair, '=', length);
    if (!equals)
        return "not of the form key=value";
    struct value name = {pair, (size_t)(equals - pair)};
    struct value value = {equals + 1, length - name.length - 1};
    for (size_t i = 0; i < KEYS; i++)
        if (value_is(name, keys[i].name))
            return is_report && !keys[i].is_of_report ? "not an option of one report"
                                                      : set_key(options, &keys[i], unquoted(value));
    return unknown_key(name, wrong);
}

static void parse(struct options *options, const char *text, options_complaint *complain, bool is_report) {
    char said[WRONG_SIZE];
    while (*text) {
        bool is_open;
        size_t length = pair_length(text, &is_open);
        const char *wrong = is_open  ? "a quote is not closed"
                            : length ? set_pair(options, text, length, said, is_report)
                                     : NULL;
        if (wrong)
            complain(wrong, text, length);
        text += length + (text[length] == ':');
    }
}

/* What rows are of has to be counted. */
static void imply(struct options *options) {
    enum { FRAMES = 16 };
    options->pairs |= options->by == BY_FREED;
    options->stack = options->stack || options->by != BY_STACK ? options->stack : FRAMES;
}

void options_parse(struct options *options, const char *text, options_complaint *complain) {
    parse(options, text, complain, false);
    imply(options);
}

void options_parse_report(struct options *options, const char *text, options_complaint *complain) {
    parse(options, text, complain, true);
}
