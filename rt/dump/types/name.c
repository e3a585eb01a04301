/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Normalizes and compares names of types. */
#include "dump/types/name.h"

#include "dump/base/hash_index.h"
#include "names/demangled.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

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
    while (demangled_is_word(word[length]))
        length++;
    return length;
}

/* 3, 3U, 3UL and (short)3 are the same argument. */
static size_t without_suffix(const char *word, size_t length) {
    while (isdigit((unsigned char)*word) && length > 1 && strchr("uUlL", word[length - 1]))
        length--;
    return length;
}

struct writing {
    char *text;
    size_t used;
};

static bool put_part(struct writing *writing, const char *part, size_t length) {
    if (length >= TYPE_NAME_SIZE - writing->used)
        return false;
    memcpy(writing->text + writing->used, part, length);
    writing->used += length;
    return true;
}

static bool put_word(struct writing *writing, const char *word, size_t length) {
    bool follows_word = writing->used && demangled_is_word(writing->text[writing->used - 1]);
    return (!follows_word || put_part(writing, " ", 1)) &&
           put_part(writing, word, without_suffix(word, length));
}

/* Removes a cast before the number of an argument: "(short)" before 3. */
static void drop_cast(struct writing *writing) {
    size_t begin = writing->used;
    if (!begin || writing->text[begin - 1] != ')')
        return;
    while (begin && writing->text[begin - 1] != '(')
        begin--;
    if (begin > 1 && strchr("<,", writing->text[begin - 2]))
        writing->used = begin - 1;
}

/* "(lambda at directory/file.cpp:1:2)": the plugin for the syntax tree omits the directory. */
static void drop_directory(struct writing *writing) {
    static const char at[] = " at";
    size_t length = strlen(at), end = writing->used;
    while (end > length && memcmp(writing->text + end - length, at, length) != 0)
        end--;
    if (end > length)
        writing->used = end;
}

static bool is_number(const char *text) {
    return isdigit((unsigned char)text[*text == '-']);
}

bool type_name_read(struct type_name *name, const char *spelled) {
    struct writing writing = {name->text, 0};
    name->is_tag = false;
    while (*spelled) {
        size_t length = word_length(spelled);
        bool is_put = true;
        if (is_number(spelled))
            drop_cast(&writing);
        if (*spelled == '/') {
            length = 1;
            drop_directory(&writing);
        } else if (!length) {
            length = 1;
            is_put = isspace((unsigned char)*spelled) || put_part(&writing, spelled, 1);
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

/* True if the character ends a name with its scopes. */
static bool ends_path(char c) {
    return !demangled_is_word(c) && c != ':';
}

void type_name_strip(struct type_name *name, type_name_space *is_inline, const void *context) {
    struct type_name whole = *name;
    struct writing writing = {name->text, 0};
    const char *begin = whole.text;
    for (const char *at = whole.text; *at;) {
        size_t length = word_length(at);
        bool is_scope = length && strncmp(at + length, "::", 2) == 0;
        begin = ends_path(*at) ? at + 1 : begin;
        length = length ?: 1;
        if (is_scope && is_inline(context, begin, (size_t)(at - begin) + length))
            length += strlen("::");
        else
            put_part(&writing, at, length);
        at += length;
    }
    name->text[writing.used] = '\0';
}

/* The end of the token at the beginning of text: a quoted character or a single one. */
static const char *skip_one(const char *text) {
    size_t quoted = text[0] == '\'' && text[1] == '\\' ? 3 : 2;
    const char *end = text[0] == '\'' && strnlen(text, quoted) == quoted ? strchr(text + quoted, '\'') : NULL;
    return end ? end + 1 : text + 1;
}

/* Change of the nesting depth by the character. */
static int nesting_change(const char *text) {
    bool is_arrow = *text == '>' && text[-1] == '-';
    return (*text != '\0' && strchr("<([", *text)) - (*text != '\0' && strchr(">)]", *text) && !is_arrow);
}

/* The end of the template arguments around text, or of their first one. */
static const char *skip_arguments(const char *text, bool is_one) {
    for (int depth = 0; *text; text = skip_one(text)) {
        if (depth == 0 && (*text == '>' || (is_one && *text == ',')))
            return text;
        depth += nesting_change(text);
    }
    return text;
}

bool type_name_matches(const char *wanted, const char *full) {
    for (const char *begin = wanted; *wanted; wanted++, full++) {
        bool lacks_all = wanted > begin && wanted[-1] == '<' && *full != '>';
        if (*wanted == '>' && (*full == ',' || lacks_all))
            full = skip_arguments(full, false);
        if (*wanted != *full)
            return false;
    }
    return !*full;
}

uint64_t type_name_hash(const char *text) {
    return hash_bytes(0, text, strcspn(text, "<")) | 1;
}

bool type_name_arguments(struct type_text name, struct type_text *arguments) {
    const char *at = name.text, *end = name.text + name.length;
    while (at < end) {
        const char *close = *at == '<' ? skip_arguments(at + 1, false) : NULL;
        if (close && close + 1 == end) {
            *arguments = (struct type_text){at + 1, (size_t)(close - at - 1)};
            return true;
        }
        at = close && *close ? close + 1 : skip_one(at);
    }
    return false;
}

bool type_name_next(struct type_text *arguments, struct type_text *argument) {
    if (!arguments->length)
        return false;
    const char *end = skip_arguments(arguments->text, true);
    *argument = (struct type_text){arguments->text, (size_t)(end - arguments->text)};
    size_t taken = argument->length + (argument->length < arguments->length);
    arguments->text += taken;
    arguments->length -= taken;
    return true;
}

const char *type_name_find(const char *text, const char *characters) {
    for (int depth = 0; *text; text = skip_one(text)) {
        if (depth == 0 && strchr(characters, *text))
            return text;
        depth += (*text == '<') - (*text == '>' && depth > 0);
    }
    return NULL;
}

bool type_name_alternative(const char **left, char name[TYPE_NAME_SIZE]) {
    if (!*left)
        return false;
    const char *end = strstr(*left, TYPE_NAME_OR);
    size_t length = end ? (size_t)(end - *left) : strlen(*left);
    snprintf(name, TYPE_NAME_SIZE, "%.*s", (int)(length < TYPE_NAME_SIZE ? length : TYPE_NAME_SIZE - 1),
             *left);
    *left = end ? end + strlen(TYPE_NAME_OR) : NULL;
    return true;
}
