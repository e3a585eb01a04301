/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of types, made comparable. */
#include "type_name.h"
#include "hash_index.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_one_of(const char *word, size_t length, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == length && memcmp(*list, word, length) == 0)
            return true;
    return false;
}

static bool is_tag(const char *word, size_t length) {
    static const char *const tags[] = {"struct", "class", "union", "enum", NULL};
    return is_one_of(word, length, tags) && isspace((unsigned char)word[length]);
}

static bool is_inline_namespace(const char *word, size_t length) {
    static const char *const namespaces[] = {"__cxx11", "__1", "__ndk1", NULL};
    return is_one_of(word, length, namespaces) && strncmp(word + length, "::", 2) == 0;
}

static size_t word_length(const char *word) {
    size_t length = 0;
    while (is_word(word[length]))
        length++;
    return length;
}

/* 3, 3U and 3UL are one argument. */
static size_t without_suffix(const char *word, size_t length) {
    while (isdigit((unsigned char)*word) && length > 1 && strchr("uUlL", word[length - 1]))
        length--;
    return length;
}

struct writing {
    char *text;
    size_t used;
};

static bool put(struct writing *writing, const char *part, size_t length) {
    if (length >= TYPE_NAME_SIZE - writing->used)
        return false;
    memcpy(writing->text + writing->used, part, length);
    writing->used += length;
    return true;
}

static bool put_word(struct writing *writing, const char *word, size_t length) {
    bool follows_word = writing->used && is_word(writing->text[writing->used - 1]);
    return (!follows_word || put(writing, " ", 1)) && put(writing, word, without_suffix(word, length));
}

bool type_name_read(struct type_name *name, const char *spelled) {
    struct writing writing = {name->text, 0};
    name->is_tag = false;
    while (*spelled) {
        size_t length = word_length(spelled);
        bool is_put = true;
        if (!length) {
            length = 1;
            is_put = isspace((unsigned char)*spelled) || put(&writing, spelled, 1);
        } else if (is_tag(spelled, length)) {
            name->is_tag |= writing.used == 0;
        } else if (is_inline_namespace(spelled, length)) {
            length += strlen("::");
        } else {
            is_put = put_word(&writing, spelled, length);
        }
        if (!is_put)
            return false;
        spelled += length;
    }
    name->text[writing.used] = '\0';
    return true;
}

/* The end of the template arguments that text is in. */
static const char *skip_arguments(const char *text) {
    for (int depth = 0; *text; text++) {
        depth += (*text == '<') - (*text == '>');
        if (depth < 0)
            return text;
    }
    return text;
}

bool type_name_matches(const char *wanted, const char *full) {
    for (; *wanted; wanted++, full++) {
        if (*wanted == '>' && *full == ',')
            full = skip_arguments(full);
        if (*wanted != *full)
            return false;
    }
    return !*full;
}

uint64_t type_name_hash(const char *text) {
    return hash_bytes(0, text, strcspn(text, "<")) | 1;
}
