/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses demangled names. */
#include "names/demangled.h"

#include <ctype.h>
#include <string.h>

bool demangled_starts(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

bool demangled_is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

size_t demangled_word_length(const char *at, const char *end) {
    size_t length = 0;
    while (at + length < end && demangled_is_word(at[length]))
        length++;
    return length;
}

const char *demangled_skip_group(const char *at, const char *end, char close) {
    char open = *at;
    for (size_t depth = 0; at < end; at++) {
        depth += *at == open;
        if (*at == close && --depth == 0)
            return at + 1;
    }
    return NULL;
}

/* The position after "operator" and its symbol, whose brackets do not nest; after the word alone for operator
 * new and conversions. NULL: no operator. */
static const char *skip_operator(const char *at, const char *begin, const char *end) {
    static const char *const brackets[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<",
                                           ">>", "<=", ">=",  "->",  "<",   ">"};
    static const char word[] = "operator";
    if (!demangled_starts(at, end, word) || (at > begin && demangled_is_word(at[-1])))
        return NULL;
    at += strlen(word);
    if (at < end && demangled_is_word(*at))
        return NULL;
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
        if (demangled_starts(at, end, brackets[i]))
            return at + strlen(brackets[i]);
    while (at < end && strchr("+-*/%^&|~!=,\"", *at))
        at++;
    return at;
}

static const char *skip_quoted(const char *at, const char *end) {
    const char *close = end - at > 2 ? memchr(at + 2, '\'', (size_t)(end - at) - 2) : NULL;
    return close ? close + 1 : NULL;
}

/* The position after a token or group. Angle brackets in parentheses are comparisons. NULL: a bracket is not
 * closed. */
static const char *skip_one(const char *at, const char *begin, const char *end) {
    const char *after = *at == 'o' ? skip_operator(at, begin, end) : NULL;
    if (after)
        return after;
    switch (*at) {
    case '(':
        return demangled_skip_group(at, end, ')');
    case '[':
        return demangled_skip_group(at, end, ']');
    case '{':
        return demangled_skip_group(at, end, '}');
    case '\'':
        return skip_quoted(at, end);
    default:
        return at + 1;
    }
}

static const char *skip_arguments(const char *at, const char *end) {
    const char *begin = at;
    for (size_t depth = 0; at && at < end;) {
        depth += *at == '<';
        if (*at == '>' && at[-1] != '-' && --depth == 0)
            return at + 1;
        at = skip_one(at, begin, end);
    }
    return NULL;
}

const char *demangled_skip(const char *at, const char *begin, const char *end) {
    return *at == '<' ? skip_arguments(at, end) : skip_one(at, begin, end);
}

const char *demangled_skip_qualifiers(const char *at, const char *end) {
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (demangled_starts(at, end, qualifiers[i]))
            return demangled_skip_qualifiers(at + strlen(qualifiers[i]), end);
    return at;
}

bool demangled_is_anonymous(const char *at, const char *end) {
    return demangled_starts(at, end, "(anonymous namespace)");
}

/* "decltype(x)". libiberty writes a space after the word. */
static bool follows_decltype(const char *at, const char *begin) {
    static const char word[] = "decltype";
    at -= at > begin && at[-1] == ' ';
    return at - begin >= (long)strlen(word) && memcmp(at - strlen(word), word, strlen(word)) == 0;
}

/* At a parenthesis. Returns where to continue, and sets the end of the name if it is complete. */
static const char *pass_parenthesis(struct range *name, const char *at, const char *after, const char *end) {
    if (demangled_is_anonymous(at, end))
        return after;
    if (at == name->begin) /* a function that returns a pointer to a function */
        return name->begin = at + 1 + strspn(at + 1, "*& ");
    after = demangled_skip_qualifiers(after, end);
    if (!demangled_starts(after, end, "::"))
        name->end = at;
    return after;
}

const char *demangled_skip_conversion(const char *at, const char *begin, const char *end) {
    while (at && at < end && (*at != '(' || demangled_starts(at, end, "(*")))
        at = demangled_skip(at, begin, end);
    return at;
}

/* Recognizes names of just-in-time compilers, "JS:*parse /srv/app.js:3": in C++ there is no single colon
 * before brackets. */
static bool has_lone_colon(const char *name) {
    size_t length = strcspn(name, " <([{'");
    for (size_t i = 0; i < length; i++) {
        if (name[i] == ':' && name[i + 1] != ':')
            return true;
        i += name[i] == ':';
    }
    return false;
}

struct range demangled_name(const char *function) {
    const char *end = function + strlen(function), *at = function;
    struct range name = {function, NULL}, all = {function, end};
    if (*at == '-' || *at == '+' || has_lone_colon(at)) /* Objective-C; unknown languages */
        return all;
    while (at && at < end && !name.end) {
        const char *after = demangled_skip(at, function, end);
        if (!after)
            return all;
        if (*at == '(' && follows_decltype(at, function)) {
            at = after;
            continue;
        }
        if (*at == ' ' && (demangled_starts(after, end, "[") || demangled_starts(after, end, "(.")))
            name.end = at; /* a clone made by the optimizer */
        else if (*at == ' ' && *after != '<' &&
                 !(demangled_starts(after, end, "(") && follows_decltype(after, function)))
            name.begin = after; /* the text before was the return type */
        else if (*at == '*' || *at == '&')
            name.begin = after;
        else if (*at == '(')
            after = pass_parenthesis(&name, at, after, end);
        else if (after > at + 1 && *at == 'o' && *after == ' ')
            after = demangled_skip_conversion(after, function, end);
        at = after;
    }
    name.end = name.end ? name.end : end;
    return at && name.begin < name.end ? name : all;
}
