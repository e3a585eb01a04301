/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shortens names of functions and types for people. */
#include "names/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* ---- Parsing demangled names. Functions parse [at, end) and return the position after the parsed part;
 * begin: start of the name, for characters before at. */

struct stretch {
    const char *begin, *end;
};

static bool demangled_starts(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static bool demangled_is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t demangled_word_length(const char *at, const char *end) {
    size_t length = 0;
    while (at + length < end && demangled_is_word(at[length]))
        length++;
    return length;
}

/* The position after the matching bracket; NULL: not closed. */
static const char *demangled_skip_group(const char *at, const char *end, char close) {
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
    const char *behind = *at == 'o' ? skip_operator(at, begin, end) : NULL;
    if (behind)
        return behind;
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

/* The position after a token or group, or after template arguments. NULL: a bracket is not closed. */
static const char *demangled_skip(const char *at, const char *begin, const char *end) {
    return *at == '<' ? skip_arguments(at, end) : skip_one(at, begin, end);
}

/* The position after const, volatile, & and && of a function. */
static const char *demangled_skip_qualifiers(const char *at, const char *end) {
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (demangled_starts(at, end, qualifiers[i]))
            return demangled_skip_qualifiers(at + strlen(qualifiers[i]), end);
    return at;
}

static bool demangled_is_anonymous(const char *at, const char *end) {
    return demangled_starts(at, end, "(anonymous namespace)");
}

/* "decltype(x)". libiberty writes a space after the word. */
static bool is_behind_decltype(const char *at, const char *begin) {
    static const char word[] = "decltype";
    at -= at > begin && at[-1] == ' ';
    return at - begin >= (long)strlen(word) && memcmp(at - strlen(word), word, strlen(word)) == 0;
}

/* At a parenthesis. Returns where to continue, and sets the end of the name if it is complete. */
static const char *pass_parenthesis(struct stretch *name, const char *at, const char *behind,
                                    const char *end) {
    if (demangled_is_anonymous(at, end))
        return behind;
    if (at == name->begin) /* a function that returns a pointer to a function */
        return name->begin = at + 1 + strspn(at + 1, "*& ");
    behind = demangled_skip_qualifiers(behind, end);
    if (!demangled_starts(behind, end, "::"))
        name->end = at;
    return behind;
}

/* The type of a conversion operator may be a pointer to a function. */
static const char *skip_conversion(const char *at, const char *begin, const char *end) {
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

/* The part of a function that is its name; all of it if it cannot be parsed. */
static struct stretch demangled_name(const char *function) {
    const char *end = function + strlen(function), *at = function;
    struct stretch name = {function, NULL}, all = {function, end};
    if (*at == '-' || *at == '+' || has_lone_colon(at)) /* Objective-C; unknown languages */
        return all;
    while (at && at < end && !name.end) {
        const char *behind = demangled_skip(at, function, end);
        if (!behind)
            return all;
        if (*at == '(' && is_behind_decltype(at, function)) {
            at = behind;
            continue;
        }
        if (*at == ' ' && (demangled_starts(behind, end, "[") || demangled_starts(behind, end, "(.")))
            name.end = at; /* a clone made by the optimizer */
        else if (*at == ' ' && !(demangled_starts(behind, end, "(") && is_behind_decltype(behind, function)))
            name.begin = behind; /* the text before was the return type */
        else if (*at == '*' || *at == '&')
            name.begin = behind;
        else if (*at == '(')
            behind = pass_parenthesis(&name, at, behind, end);
        else if (behind > at + 1 && *at == 'o' && *behind == ' ')
            behind = skip_conversion(behind, function, end);
        at = behind;
    }
    name.end = name.end ? name.end : end;
    return at && name.begin < name.end ? name : all;
}

/* ---- Names for people. */

enum { DEPTH_SHOWN = 12, DEPTH_WHOLE = 256 };

struct name {
    char *text;
    size_t size, used;
    bool is_full;
    size_t longest; /* longer template arguments are dropped */
    int deepest;    /* template arguments nested deeper are dropped */
};

static size_t columns_of(const char *text, size_t length) {
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

static void put_text(struct name *name, const char *text, size_t length) {
    name->is_full |= length >= name->size - strlen("...") - name->used;
    if (name->is_full)
        return;
    memcpy(name->text + name->used, text, length);
    name->used += length;
}

/* The length of an inline namespace of a standard library, which source code does not mention; 0: none. */
static size_t inline_namespace(const char *at, const char *end) {
    static const char *const known[] = {"__cxx11", "__1", "__2", "__8", "__ndk1", "__Cr", "__fs", "_V2"};
    size_t length = demangled_word_length(at, end);
    if (!demangled_starts(at + length, end, "::"))
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length == strlen(known[i]) && demangled_starts(at, end, known[i]))
            return length + 2;
    bool is_version = demangled_starts(at, end, "json_abi_") || demangled_starts(at, end, "lts_20");
    return is_version ? length + 2 : 0;
}

/* Default template arguments that most programs do not write. */
static bool is_default(const char *at, const char *end) {
    static const char *const known[] = {"allocator", "char_traits", "less",
                                        "hash",      "equal_to",    "default_delete"};
    while (at < end && *at == ' ')
        at++;
    if (demangled_starts(at, end, "__gnu_cxx::_S_atomic")) /* the type that std::shared_ptr allocates */
        return true;
    if (!demangled_starts(at, end, "std::"))
        return false;
    at += strlen("std::");
    at += inline_namespace(at, end);
    size_t length = demangled_word_length(at, end);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (length == strlen(known[i]) && demangled_starts(at, end, known[i]))
            return at + length < end && at[length] == '<' && demangled_skip(at + length, at, end) == end;
    return false;
}

/* The end of the arguments [at, end) without defaults. The first argument always stays, except of
 * operator<<. */
static const char *without_defaults(const char *at, const char *end) {
    const char *begin = at, *argument = at, *kept = end;
    for (bool is_last = false; !is_last; at++) {
        while (at && at < end && *at != ',')
            at = demangled_skip(at, begin, end);
        is_last = !at || at >= end;
        at = at ? at : end;
        const char *behind = at - (at > begin && at[-1] == ' ');
        bool stays = argument == begin && !demangled_starts(begin, end, "std::char_traits<");
        if (stays || !is_default(argument, behind))
            kept = behind;
        else if (argument == begin)
            kept = begin;
        argument = at + 1;
    }
    return kept;
}

/* False for pair, tuple and variant, whose "std::allocator" is not a default. */
static bool has_defaults(const struct name *name) {
    static const char *const without[] = {"pair", "tuple", "variant"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        size_t length = strlen(without[i]);
        if (name->used >= length && memcmp(name->text + name->used - length, without[i], length) == 0)
            return false;
    }
    return true;
}

/* std::basic_string<char> is std::string. */
static void use_alias(struct name *name) {
    static const char prefix[] = "std::basic_", of[] = "<char>";
    size_t length = name->used - strlen(of), end = length;
    if (name->used < strlen(prefix) + strlen(of) || memcmp(name->text + end, of, strlen(of)) != 0)
        return;
    while (length && demangled_is_word(name->text[length - 1]))
        length--;
    size_t start = length - (length >= strlen("std::") ? strlen("std::") : 0);
    if (end - start < strlen(prefix) || memcmp(name->text + start, prefix, strlen(prefix)) != 0)
        return;
    memmove(name->text + length, name->text + length + strlen("basic_"), end - length - strlen("basic_"));
    name->used = end - strlen("basic_");
}

static void put_stretch(struct name *name, const char *at, const char *end, bool is_function, int depth);

/* Writes [at, end) including its brackets. */
static void put_arguments(struct name *name, const char *at, const char *end, int depth) {
    static const char cut[] = "<...>";
    size_t mark = name->used;
    bool was_full = name->is_full;
    const char *last = has_defaults(name) ? without_defaults(at + 1, end - 1) : end - 1;
    if (last == at + 1 && end > at + 2) {
        name->used -= name->used && name->text[name->used - 1] == ' ';
        return;
    }
    put_text(name, "<", 1);
    if (depth < name->deepest)
        put_stretch(name, at + 1, last, false, depth + 1);
    name->used -= name->text[name->used - 1] == ' ';
    put_text(name, ">", 1);
    size_t columns = columns_of(name->text + mark, name->used - mark);
    bool is_long = columns > strlen(cut) && columns > name->longest;
    if (is_long || depth == name->deepest || (name->is_full && !was_full)) {
        name->used = mark;
        name->is_full = was_full;
        put_text(name, cut, strlen(cut));
    } else
        use_alias(name);
}

/* Writes "{lambda(int)#1}" without parameters. */
static void put_braces(struct name *name, const char *at, const char *end) {
    const char *parameters = memchr(at, '(', (size_t)(end - at));
    const char *behind = parameters ? demangled_skip_group(parameters, end, ')') : NULL;
    put_text(name, at, (size_t)((behind ? parameters : end) - at));
    if (behind)
        put_text(name, behind, (size_t)(end - behind));
}

/* is_function: parentheses are parameters of enclosing functions. */
static void put_stretch(struct name *name, const char *at, const char *end, bool is_function, int depth) {
    const char *begin = at;
    while (at < end && !name->is_full) {
        const char *behind = demangled_skip(at, begin, end);
        bool begins_word = at == begin || !demangled_is_word(at[-1]);
        size_t hidden = begins_word ? inline_namespace(at, end) : 0;
        if (hidden)
            behind = at + hidden;
        else if (!behind)
            put_text(name, at, (size_t)((behind = end) - at));
        else if (*at == '<')
            put_arguments(name, at, behind, depth);
        else if (is_function && *at == '(' && !demangled_is_anonymous(at, end) &&
                 !demangled_starts(at, end, "(*"))
            behind = demangled_skip_qualifiers(behind, end);
        else if (is_function && *at == '{')
            put_braces(name, at, behind);
        else if (!demangled_starts(at, end, "[abi:") && !(*at == ' ' && behind < end && *behind == '>'))
            put_text(name, at, (size_t)(behind - at));
        at = behind;
    }
}

/* True if the name fits. */
static bool write_name(struct name *name, const char *prefix, struct stretch from, bool is_function,
                       size_t columns) {
    name->used = 0;
    name->is_full = false;
    put_text(name, prefix, strlen(prefix));
    put_stretch(name, from.begin, from.end, is_function, 0);
    return !name->is_full && columns_of(name->text, name->used) <= columns;
}

/* The position after the outermost scope; NULL: none. */
static const char *next_scope(struct stretch name) {
    for (const char *at = name.begin; at && at < name.end; at = demangled_skip(at, name.begin, name.end))
        if (demangled_starts(at, name.end, "::"))
            return at + 2;
    return NULL;
}

/* Drops template arguments, starting with the longest, then outer scopes, but never the name itself. */
static void shorten_name(char text[NAME_SIZE], struct stretch from, bool is_function, size_t columns) {
    static const size_t longest[] = {40, 24, 12, 0};
    struct name name = {.text = text, .size = NAME_SIZE, .deepest = DEPTH_SHOWN};
    bool fits = false;
    for (size_t i = 0; !fits && i < sizeof longest / sizeof *longest; i++) {
        name.longest = longest[i];
        fits = write_name(&name, "", from, is_function, columns);
    }
    while (is_function && !fits && (from.begin = next_scope(from)))
        fits = write_name(&name, "...::", from, is_function, columns);
    strcpy(text + name.used, name.is_full ? "..." : "");
}

/* Arguments nested too deeply become "<...>", which may be longer than the arguments. */
size_t name_whole_size(const char *name) {
    return 2 * strlen(name) + NAME_SIZE;
}

static void write_whole(char *text, size_t size, struct stretch from, bool is_function) {
    struct name name = {.text = text, .size = size, .longest = SIZE_MAX, .deepest = DEPTH_WHOLE};
    write_name(&name, "", from, is_function, SIZE_MAX);
    strcpy(text + name.used, name.is_full ? "..." : "");
}

/* "(cut)" is not a function. */
static bool is_remark(const char *function) {
    return *function == '(' && function[strlen(function) - 1] == ')' && !strchr(function, ':');
}

void name_function_whole(char *text, size_t size, const char *function) {
    if (is_remark(function) && strlen(function) < size)
        strcpy(text, function);
    else
        write_whole(text, size, demangled_name(function), true);
}

void name_type_whole(char *text, size_t size, const char *type) {
    write_whole(text, size, (struct stretch){type, type + strlen(type)}, false);
}

void name_function(char text[NAME_SIZE], const char *function, size_t columns) {
    if (function && is_remark(function) && strlen(function) < NAME_SIZE)
        strcpy(text, function);
    else
        shorten_name(text, demangled_name(function ? function : "?"), true, columns);
}

/* The end of the first types of a line that allocates several. */
static const char *behind_first_types(const char *type) {
    enum { SHOWN = 3 };
    const char *end = type;
    for (int i = 0; i < SHOWN && end; i++)
        end = strstr(end + (i > 0), " or ");
    return end ? end : type + strlen(type);
}

void name_type(char text[NAME_SIZE], const char *type, size_t columns) {
    static const char further[] = " or ...";
    const char *end = behind_first_types(type);
    shorten_name(text, (struct stretch){type, end}, false, columns);
    if (*end && strlen(text) + sizeof further <= NAME_SIZE)
        strcat(text, further);
}
