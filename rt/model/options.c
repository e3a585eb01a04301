/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parsing the options of a run. */
#include "model/options.h"

#include "base/covers.h"

#include <signal.h>
#include <string.h>

struct word {
    const char *text;
    int value;
};

static const struct word booleans[] = {{"0", 0}, {"1", 1}, {0}};
static const struct word formats[] = {
    {"text", FORMAT_TEXT}, {"json", FORMAT_JSON}, {"csv", FORMAT_CSV}, {"markdown", FORMAT_MARKDOWN}, {0}};
COVERS(formats, FORMATS + 1);
static const struct word sorts[] = {
    {"bytes", SORT_BYTES}, {"allocs", SORT_ALLOCS}, {"live", SORT_LIVE}, {"peak", SORT_PEAK}, {0}};
COVERS(sorts, SORTS + 1);

static const char bad_value[] = "not a value of this key";

struct value {
    const char *text;
    size_t length;
};

static bool value_is(struct value value, const char *word) {
    return strlen(word) == value.length && memcmp(value.text, word, value.length) == 0;
}

/* NULL, or what is wrong. */
static const char *value_word(struct value value, const struct word *words, int *out) {
    for (; words->text; words++)
        if (value_is(value, words->text)) {
            *out = words->value;
            return NULL;
        }
    return bad_value;
}

static const char *value_number(struct value value, uint64_t *out) {
    uint64_t number = 0;
    for (size_t i = 0; i < value.length; i++) {
        unsigned digit = (unsigned)value.text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return bad_value;
    }
    if (value.length == 0)
        return bad_value;
    *out = number;
    return NULL;
}

static const char *value_boolean(struct value value, bool *out) {
    int number = *out;
    const char *wrong = value_word(value, booleans, &number);
    *out = number;
    return wrong;
}

static const char *set_enabled(struct options *options, struct value value) {
    return value_boolean(value, &options->enabled);
}

static const char *value_path(struct value value, char path[OPTIONS_PATH_SIZE]) {
    if (value.length == 0)
        return bad_value;
    if (value.length >= OPTIONS_PATH_SIZE)
        return "the value is too long";
    memcpy(path, value.text, value.length);
    path[value.length] = '\0';
    return NULL;
}

static const char *set_report(struct options *options, struct value value) {
    return value_path(value, options->report);
}

static const char *set_profile(struct options *options, struct value value) {
    return value_path(value, options->profile);
}

static const char *set_format(struct options *options, struct value value) {
    int format = (int)options->format;
    const char *wrong = value_word(value, formats, &format);
    options->format = (enum report_format)format;
    return wrong;
}

bool options_format(const char *name, enum report_format *format) {
    int found = (int)*format;
    bool is_one = !value_word((struct value){name, strlen(name)}, formats, &found);
    *format = (enum report_format)found;
    return is_one;
}

static const char *set_sort(struct options *options, struct value value) {
    int sort = (int)options->sort;
    const char *wrong = value_word(value, sorts, &sort);
    options->sort = (enum report_sort)sort;
    return wrong;
}

static const char *set_top(struct options *options, struct value value) {
    const char *wrong = value_number(value, &options->top);
    options->top_given |= !wrong;
    return wrong;
}

static const char *set_min_bytes(struct options *options, struct value value) {
    return value_number(value, &options->min_bytes);
}

static const char *set_min_allocs(struct options *options, struct value value) {
    return value_number(value, &options->min_allocs);
}

static const char *set_leaks(struct options *options, struct value value) {
    return value_boolean(value, &options->leaks);
}

static const char *set_owners(struct options *options, struct value value) {
    return value_boolean(value, &options->owners);
}

static const char *set_pairs(struct options *options, struct value value) {
    return value_boolean(value, &options->pairs);
}

static const char *set_sizes(struct options *options, struct value value) {
    return value_boolean(value, &options->sizes);
}

static const char *set_reach(struct options *options, struct value value) {
    return value_boolean(value, &options->reach);
}

bool options_need_owners(const struct options *options) {
    return options->leaks || options->pairs || options->sizes || options->reach || options->stack ||
           options->sort == SORT_LIVE || options->sort == SORT_PEAK;
}

static const struct word signals[] = {
    {"HUP", SIGHUP},   {"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
    {"TERM", SIGTERM}, {"WINCH", SIGWINCH}, {"none", 0},       {0}};

static const char *set_signal(struct options *options, struct value value) {
    uint64_t number;
    if (!value_number(value, &number)) {
        bool fits = number > 0 && number < 65 && number != SIGKILL && number != SIGSTOP;
        options->signal = fits ? (int)number : options->signal;
        return fits ? NULL : bad_value;
    }
    if (value.length > 3 && memcmp(value.text, "SIG", 3) == 0)
        value = (struct value){value.text + 3, value.length - 3};
    return value_word(value, signals, &options->signal);
}

static const char *set_stack(struct options *options, struct value value) {
    uint64_t frames;
    const char *wrong = value_number(value, &frames);
    if (wrong || frames > OPTIONS_STACK_MOST)
        return wrong ? wrong : "more than 64 frames cannot be kept";
    options->stack = frames;
    return NULL;
}

static const char *set_stack_sites(struct options *options, struct value value) {
    return value_path(value, options->stack_sites);
}

static const struct key {
    const char *name;
    const char *(*set)(struct options *, struct value);
} keys[] = {
    {"enabled", set_enabled},
    {"report", set_report},
    {"format", set_format},
    {"top", set_top},
    {"sort", set_sort},
    {"min_bytes", set_min_bytes},
    {"min_allocs", set_min_allocs},
    {"leaks", set_leaks},
    {"owners", set_owners},
    {"pairs", set_pairs},
    {"sizes", set_sizes},
    {"reach", set_reach},
    {"profile", set_profile},
    {"signal", set_signal},
    {"stack", set_stack},
    {"stack_sites", set_stack_sites},
};

void options_default(struct options *options) {
    *options =
        (struct options){.enabled = true, .owners = true, .report = "stderr", .profile = "none", .top = 20};
}

/* A value in quotes may have colons. */
static size_t pair_length(const char *text) {
    const char *at = text;
    for (char quote = 0; *at && (*at != ':' || quote); at++)
        if (*at == quote)
            quote = 0;
        else if ((*at == '"' || *at == '\'') && at > text && at[-1] == '=')
            quote = *at;
    return (size_t)(at - text);
}

static struct value unquoted(struct value value) {
    char first = value.length > 1 ? value.text[0] : 0;
    if ((first != '"' && first != '\'') || value.text[value.length - 1] != first)
        return value;
    return (struct value){value.text + 1, value.length - 2};
}

static const char *set_pair(struct options *options, const char *pair, size_t length) {
    const char *equals = memchr(pair, '=', length);
    if (!equals)
        return "not of the form key=value";
    struct value name = {pair, (size_t)(equals - pair)};
    struct value value = {equals + 1, length - name.length - 1};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (value_is(name, keys[i].name))
            return keys[i].set(options, unquoted(value));
    return "unknown key";
}

void options_parse(struct options *options, const char *text, options_complaint *complain) {
    while (*text) {
        size_t length = pair_length(text);
        const char *wrong = length ? set_pair(options, text, length) : NULL;
        if (wrong)
            complain(wrong, text, length);
        text += length + (text[length] == ':');
    }
}

struct path {
    char *at, *end;
};

static bool path_append(struct path *path, const char *text, size_t length) {
    if ((size_t)(path->end - path->at) <= length)
        return false;
    memcpy(path->at, text, length);
    path->at += length;
    *path->at = '\0';
    return true;
}

static bool path_append_number(struct path *path, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    return path_append(path, digits + at, sizeof digits - at);
}

static bool path_append_name(struct path *path, char letter, const struct path_names *names) {
    const char *slash = strrchr(names->program, '/');
    const char *program = slash ? slash + 1 : names->program;
    switch (letter) {
    case 'p':
        return path_append_number(path, names->pid);
    case 'e':
        return path_append(path, program, strlen(program));
    case 'h':
        return path_append(path, names->host, strlen(names->host));
    case '%':
        return path_append(path, "%", 1);
    default:
        return false;
    }
}

bool path_expand(char *path, size_t size, const char *pattern, const struct path_names *names) {
    struct path to = {path, path + size};
    for (; *pattern; pattern++) {
        bool fits = *pattern == '%' ? path_append_name(&to, *++pattern, names) : path_append(&to, pattern, 1);
        if (!fits)
            return false;
    }
    return true;
}
