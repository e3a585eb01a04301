/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses the options of a run. */
#include "model/options.h"

#include "base/arrays.h"

#include <string.h>

/* ---- Kinds of rows. */

static const char *const group_names[] = {
    [BY_SITE] = "site",   [BY_LINE] = "line",     [BY_FUNCTION] = "function", [BY_FILE] = "file",
    [BY_TYPE] = "type",   [BY_MODULE] = "module", [BY_STACK] = "stack",       [BY_CALLER] = "caller",
    [BY_FREED] = "freed", [BY_THREAD] = "thread", [BY_PHASE] = "phase",
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

/* ---- Values. */

static const struct setting_word names[] = {{"short", 0}, {"full", 1}, {0}};
static const struct setting_word sorts[] = {
    {"bytes", SORT_BYTES}, {"allocs", SORT_ALLOCS}, {"live", SORT_LIVE}, {"peak", SORT_PEAK}, {0}};
COVERS(sorts, SORTS + 1);

static const struct setting_word lines[] = {
    {"auto", LINE_AUTO}, {"site", LINE_SITE}, {"outermost-library", LINE_LIBRARY}, {0}};
COVERS(lines, LINE_CHOICES + 1);

#define READ_WORD(name, type, words, wrong)                                                                  \
    static const char *name(const struct setting *key, struct setting_value value, void *out) {              \
        int number;                                                                                          \
        (void)key;                                                                                           \
        if (!setting_word(value, words, &number))                                                            \
            return wrong;                                                                                    \
        *(type *)out = (type)number;                                                                         \
        return NULL;                                                                                         \
    }

READ_WORD(read_names, bool, names, "not one of short, full")
READ_WORD(read_sort, enum report_sort, sorts, "not one of bytes, allocs, live, peak")
READ_WORD(read_line, enum line_choice, lines, "not one of auto, site, outermost-library")

static const char *read_filter(const struct setting *key, struct setting_value value, void *filter) {
    if (!setting_is(value, "none"))
        return read_path(key, value, filter);
    *(char *)filter = '\0';
    return NULL;
}

const char *line_choice_name(enum line_choice choice) {
    return lines[choice].text;
}

const char *line_options_set(struct line_options *line, const char *name, const char *value) {
    struct setting_value given = {value, strlen(value)};
    if (strcmp(name, "line") == 0)
        return read_line(NULL, given, &line->choice);
    if (strcmp(name, "skip") == 0)
        return read_filter(NULL, given, line->skip);
    return strcmp(name, "stop") == 0 ? read_filter(NULL, given, line->stop) : "no option of lines";
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

static const char *read_format(const struct setting *key, struct setting_value value, void *format) {
    (void)key;
    bool is_one = format_named(value.text, value.length, FORMATS_ALL, format);
    return is_one ? NULL : "not one of" FORMAT_NAMES;
}

static const char *read_by(const struct setting *key, struct setting_value value, void *out) {
    enum group_by by;
    (void)key;
    if (!group_by_read(value.text, value.length, &by) || group_by_parts(by))
        return "not one of site, line, function, file, type, module, stack, freed";
    *(enum group_by *)out = by;
    return NULL;
}

static const char *read_top(const struct setting *key, struct setting_value value, void *top) {
    struct options *options = (struct options *)((char *)top - offsetof(struct options, top));
    const char *wrong = read_number(key, value, top);
    options->top_given |= !wrong;
    return wrong;
}

/* ---- The keys. */

#define RUN(name, member, kind, standard, help) {name, NULL, 0, standard},
#define REPORT(name, member, kind, standard, help)                                                           \
    {name, read_##kind, offsetof(struct options, member), standard},
#define BOTH(...) REPORT(__VA_ARGS__)

static const struct setting list[] = {
#include "options.def"
};

static const struct settings settings = {list, sizeof list / sizeof *list};

#undef RUN
#undef REPORT
#define RUN(name, member, kind, standard, help) help,
#define REPORT(...)                             RUN(__VA_ARGS__)

static const char *const help_of[] = {
#include "options.def"
};

void options_help(struct out *out) {
    for (size_t i = 0; i < settings.count; i++) {
        size_t width = strlen(list[i].name) + 1 + strlen(list[i].standard);
        out_text(out, "  ");
        out_text(out, list[i].name);
        out_char(out, '=');
        out_text(out, list[i].standard);
        for (; width < 18; width++)
            out_char(out, ' ');
        out_text(out, help_of[i]);
        out_char(out, '\n');
    }
}

void options_default(struct options *options) {
    *options = (struct options){.top = 0};
    settings_default(&settings, options);
    options->top_given = false;
}

void options_parse(struct options *options, const char *text, settings_complaint *complain) {
    settings_parse(&settings, options, text, complain);
}

static const struct setting *find_setting(struct setting_value name) {
    for (size_t i = 0; i < settings.count; i++)
        if (list[i].read && setting_is(name, list[i].name))
            return &list[i];
    return NULL;
}

bool options_have(struct setting_value name) {
    return find_setting(name);
}

const char *options_take(struct options *options, struct setting_value name, struct setting_value value) {
    const struct setting *key = find_setting(name);
    return key ? key->read(key, value, (char *)options + key->offset) : "unknown key";
}

bool options_need_owners(const struct options *options) {
    return options->leaks || options->pairs || options->sizes || options->lifetime ||
           options->by == BY_FREED || options->sort == SORT_LIVE || options->sort == SORT_PEAK;
}
