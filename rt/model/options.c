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

static const char *read_number(struct value value, void *out) {
    return value_number(value, out);
}

static const char *read_boolean(struct value value, void *out) {
    int number = 0;
    const char *wrong = value_word(value, booleans, &number);
    if (!wrong)
        *(bool *)out = number;
    return wrong;
}

static const char *read_path(struct value value, void *path) {
    if (value.length == 0)
        return bad_value;
    if (value.length >= OPTIONS_PATH_SIZE)
        return "the value is too long";
    memcpy(path, value.text, value.length);
    ((char *)path)[value.length] = '\0';
    return NULL;
}

bool format_named(const char *name, size_t length, enum view view, enum report_format *found) {
    for (enum report_format format = 0; format < FORMATS; format++)
        if (strncmp(format_name(format), name, length) == 0 && !format_name(format)[length] &&
            format_has(format, view)) {
            *found = format;
            return true;
        }
    return false;
}

static const char *read_format(struct value value, void *format) {
    return format_named(value.text, value.length, VIEW_SITES, format) ? NULL : bad_value;
}

static const char *read_sort(struct value value, void *out) {
    int sort = 0;
    const char *wrong = value_word(value, sorts, &sort);
    if (!wrong)
        *(enum report_sort *)out = (enum report_sort)sort;
    return wrong;
}

bool options_need_owners(const struct options *options) {
    return options->leaks || options->pairs || options->sizes || options->reach || options->stack ||
           options->sort == SORT_LIVE || options->sort == SORT_PEAK;
}

static const struct word signals[] = {
    {"HUP", SIGHUP},   {"USR1", SIGUSR1},   {"USR2", SIGUSR2}, {"ALRM", SIGALRM},
    {"TERM", SIGTERM}, {"WINCH", SIGWINCH}, {"none", 0},       {0}};

static const char *read_signal(struct value value, void *out) {
    uint64_t number;
    int *signal = out;
    if (!value_number(value, &number)) {
        bool fits = number > 0 && number < 65 && number != SIGKILL && number != SIGSTOP;
        *signal = fits ? (int)number : *signal;
        return fits ? NULL : bad_value;
    }
    if (value.length > 3 && memcmp(value.text, "SIG", 3) == 0)
        value = (struct value){value.text + 3, value.length - 3};
    return value_word(value, signals, signal);
}

static const char *read_stack(struct value value, void *out) {
    uint64_t frames;
    const char *wrong = value_number(value, &frames);
    if (wrong || frames > OPTIONS_STACK_MOST)
        return wrong ? wrong : "more than 64 frames cannot be kept";
    *(uint64_t *)out = frames;
    return NULL;
}

#define KEY(member, read)                                                                                    \
    { #member, offsetof(struct options, member), read }

/* By the names of their members. */
static const struct key {
    const char *name;
    size_t offset;
    const char *(*read)(struct value, void *member);
} keys[] = {
    KEY(enabled, read_boolean),   KEY(report, read_path),         KEY(format, read_format),
    KEY(top, read_number),        KEY(sort, read_sort),           KEY(min_bytes, read_number),
    KEY(min_allocs, read_number), KEY(leaks, read_boolean),       KEY(owners, read_boolean),
    KEY(pairs, read_boolean),     KEY(sizes, read_boolean),       KEY(reach, read_boolean),
    KEY(profile, read_path),      KEY(signal, read_signal),       KEY(stack, read_stack),
    KEY(stack_sites, read_path),  KEY(signal_start, read_signal), KEY(stopped, read_boolean),
};

static const char *set_key(struct options *options, const struct key *key, struct value value) {
    const char *wrong = key->read(value, (char *)options + key->offset);
    options->top_given |= !wrong && key->offset == offsetof(struct options, top);
    return wrong;
}

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
            return set_key(options, &keys[i], unquoted(value));
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
