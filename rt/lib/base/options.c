/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/base/options.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static const struct setting_word signals[] = {
    {"HUP", SIGHUP},   {"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
    {"TERM", SIGTERM}, {"WINCH", SIGWINCH}, {"none", 0},       {0}};

static const char *read_signal(const struct setting *key, struct setting_value value, void *out) {
    uint64_t number;
    int *signal = out;
    (void)key;
    if (setting_amount(value, false, &number)) {
        bool fits = number > 0 && number < 65 && number != SIGKILL && number != SIGSTOP;
        *signal = fits ? (int)number : *signal;
        return fits ? NULL : "not the number of a signal that can be handled";
    }
    if (value.length > 3 && memcmp(value.text, "SIG", 3) == 0)
        value = (struct setting_value){value.text + 3, value.length - 3};
    return setting_word(value, signals, signal)
               ? NULL
               : "not a number, nor one of HUP, USR1, USR2, ALRM, TERM, WINCH, none";
}

static const char *read_exitcode(const struct setting *key, struct setting_value value, void *out) {
    uint64_t status;
    (void)key;
    if (!setting_amount(value, false, &status) || status > UINT8_MAX)
        return "not a number from 0 to 255";
    *(uint64_t *)out = status;
    return NULL;
}

static const char *read_contexts(const struct setting *key, struct setting_value value, void *out) {
    uint64_t contexts = OPTIONS_CONTEXTS_COMPILED;
    (void)key;
    if (!setting_is(value, "auto") && !setting_amount(value, false, &contexts))
        return "neither a number nor auto";
    *(uint64_t *)out = contexts;
    return NULL;
}

/* A report may need counts that are off by default. The reader alone uses all other report options. */
static const char *read_implied(const struct setting *key, struct setting_value value, void *out) {
    struct options_implied *implied = out;
    if (strcmp(key->name, "by") == 0) {
        implied->stacks = setting_is(value, "stack");
        implied->pairs = setting_is(value, "freed");
        implied->other_rows = !setting_is(value, "site");
    }
    if (strcmp(key->name, "focus") == 0)
        implied->focus = value.length && !setting_is(value, "none");
    if (strcmp(key->name, "format") == 0)
        implied->other_format =
            !setting_is(value, "text") && !setting_is(value, "markdown") && !setting_is(value, "json");
    bool is_live =
        (strcmp(key->name, "leaks") == 0 && setting_is(value, "1")) ||
        (strcmp(key->name, "sort") == 0 && (setting_is(value, "live") || setting_is(value, "peak")));
    implied->owners |= is_live || implied->pairs;
    return NULL;
}

#define RUN(name, member, kind, standard, help)                                                              \
    {name, read_##kind, offsetof(struct run_options, member), standard},
#define BOTH(...) RUN(__VA_ARGS__)
#define REPORT(name, member, kind, standard, help)                                                           \
    {name, read_implied, offsetof(struct run_options, implied), standard},

static const struct setting list[] = {
#include "options.def"
};

static const struct settings settings = {list, sizeof list / sizeof *list};

void options_default(struct run_options *options) {
    *options = (struct run_options){.implied = {0}};
    settings_default(&settings, options);
}

void options_parse(struct run_options *options, const char *text, settings_complaint *complain) {
    enum { FRAMES = 16 };
    settings_parse(&settings, options, text, complain);
    options->pairs |= options->implied.pairs;
    if (options->implied.stacks && !options->stack)
        options->stack = FRAMES;
}

bool options_fail(const struct run_options *options) {
    return strcmp(options->fail, "none") != 0;
}

bool options_need_owners(const struct run_options *options) {
    return options_fail(options) || options->implied.owners || options->pairs || options->sizes ||
           options->temporary || options->lifetime || options->reach || options->stack ||
           options->contexts - 1 < OPTIONS_CONTEXTS_COMPILED - 1 || strcmp(options->graph, "none") != 0;
}
