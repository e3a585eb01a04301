/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/settings.h"

#include "base/words.h"

#include <string.h>

bool setting_is(struct setting_value value, const char *word) {
    return strlen(word) == value.length && memcmp(value.text, word, value.length) == 0;
}

bool setting_word(struct setting_value value, const struct setting_word *words, int *out) {
    for (; words->text; words++)
        if (setting_is(value, words->text)) {
            *out = words->value;
            return true;
        }
    return false;
}

bool setting_amount(struct setting_value value, bool is_bytes, uint64_t *out) {
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

const char *read_number(const struct setting *key, struct setting_value value, void *out) {
    (void)key;
    return setting_amount(value, false, out) ? NULL : "not a number";
}

const char *read_size(const struct setting *key, struct setting_value value, void *out) {
    (void)key;
    return setting_amount(value, true, out) ? NULL : "not a size such as 4096 or 64KiB";
}

const char *read_stack(const struct setting *key, struct setting_value value, void *out) {
    uint64_t frames;
    (void)key;
    if (!setting_amount(value, false, &frames) || frames > OPTIONS_STACK_MOST)
        return "not a number up to 64";
    *(uint64_t *)out = frames;
    return NULL;
}

const char *read_boolean(const struct setting *key, struct setting_value value, void *out) {
    (void)key;
    if (!setting_is(value, "0") && !setting_is(value, "1"))
        return "neither 0 nor 1";
    *(bool *)out = setting_is(value, "1");
    return NULL;
}

const char *read_path(const struct setting *key, struct setting_value value, void *path) {
    (void)key;
    if (value.length == 0)
        return "no path";
    if (value.length >= SETTING_PATH_SIZE)
        return "the value is too long";
    memcpy(path, value.text, value.length);
    ((char *)path)[value.length] = '\0';
    return NULL;
}

void settings_default(const struct settings *settings, void *to) {
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *key = &settings->list[i];
        if (key->read)
            key->read(key, (struct setting_value){key->standard, strlen(key->standard)},
                      (char *)to + key->offset);
    }
}

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

static struct setting_value setting_unquoted(struct setting_value value) {
    char first = value.length > 1 ? value.text[0] : 0;
    if ((first != '"' && first != '\'') || value.text[value.length - 1] != first)
        return value;
    return (struct setting_value){value.text + 1, value.length - 2};
}

static void pair_split(struct setting_pair *pair) {
    const char *equals = memchr(pair->start, '=', pair->length);
    if (!equals) {
        pair->wrong = "not of the form key=value";
        return;
    }
    pair->name = (struct setting_value){pair->start, (size_t)(equals - pair->start)};
    pair->value = setting_unquoted((struct setting_value){equals + 1, pair->length - pair->name.length - 1});
}

bool settings_next(const char **text, struct setting_pair *pair) {
    bool is_open;
    *text += strspn(*text, ":");
    if (!**text)
        return false;
    *pair = (struct setting_pair){.start = *text, .length = pair_length(*text, &is_open)};
    *text += pair->length;
    if (is_open)
        pair->wrong = "a quote is not closed";
    else
        pair_split(pair);
    return true;
}

enum { WRONG_SIZE = 128 };

static const char *unknown_key(const struct settings *settings, struct setting_value name,
                               char wrong[WRONG_SIZE]) {
    struct similar similar = {.word = name.text, .length = name.length};
    for (size_t i = 0; i < settings->count; i++)
        similar_try(&similar, settings->list[i].name);
    if (!similar.best)
        return "unknown key, help=1 lists all";
    strcpy(wrong, "unknown key, did you mean ");
    return strcat(strcat(wrong, similar.best), "?");
}

static const char *setting_set(const struct settings *settings, void *to, const struct setting_pair *pair,
                               char wrong[WRONG_SIZE]) {
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *key = &settings->list[i];
        if (setting_is(pair->name, key->name))
            return key->read ? key->read(key, pair->value, (char *)to + key->offset) : NULL;
    }
    return unknown_key(settings, pair->name, wrong);
}

const char *setting_explain(struct setting_value value, const char *wrong) {
    const char *comma = wrong && value.text ? memchr(value.text, ',', value.length) : NULL;
    bool has_other = comma && memchr(comma, '=', value.length - (size_t)(comma - value.text));
    return has_other ? "options are separated by ':'" : wrong;
}

void settings_parse(const struct settings *settings, void *to, const char *text,
                    settings_complaint *complain) {
    char said[WRONG_SIZE];
    struct setting_pair pair;
    while (settings_next(&text, &pair)) {
        const char *wrong = pair.wrong ? pair.wrong : setting_set(settings, to, &pair, said);
        if (wrong)
            complain(setting_explain(pair.value, wrong), pair.start, pair.length);
    }
}
