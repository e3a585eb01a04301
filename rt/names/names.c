/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shortens names of functions and types for people. */
#include "names/names.h"

#include "names/demangled.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

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

/* The end of the arguments [at, end) without defaults. The first argument always stays, except in
 * operator<<. */
static const char *without_defaults(const char *at, const char *end) {
    const char *begin = at, *argument = at, *kept = end;
    for (bool is_last = false; !is_last; at++) {
        while (at && at < end && *at != ',')
            at = demangled_skip(at, begin, end);
        is_last = !at || at >= end;
        at = at ? at : end;
        const char *after = at - (at > begin && at[-1] == ' ');
        bool stays = argument == begin && !demangled_starts(begin, end, "std::char_traits<");
        if (stays || !is_default(argument, after))
            kept = after;
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

static void put_range(struct name *name, const char *at, const char *end, bool is_function, int depth);

/* Writes [at, end) including its parentheses. */
static void put_group(struct name *name, const char *at, const char *end, int depth) {
    if (depth >= name->deepest) {
        put_text(name, at, (size_t)(end - at));
        return;
    }
    put_text(name, at, 1);
    put_range(name, at + 1, end - 1, false, depth + 1);
    put_text(name, end - 1, 1);
}

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
        put_range(name, at + 1, last, false, depth + 1);
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
    const char *after = parameters ? demangled_skip_group(parameters, end, ')') : NULL;
    put_text(name, at, (size_t)((after ? parameters : end) - at));
    if (after)
        put_text(name, after, (size_t)(end - after));
}

/* Casts of numbers to built-in types, "(short)3", which only some compilers write. */
static bool is_number_cast(const char *at, const char *after, const char *begin, const char *end) {
    bool is_argument = at == begin || (at > begin && at[-1] == '<') || (at > begin + 1 && at[-2] == ',');
    const char *sign = after < end && *after == '-' ? after + 1 : after;
    size_t letters = 1;
    while (at + letters < after && (islower((unsigned char)at[letters]) || at[letters] == ' '))
        letters++;
    return is_argument && sign < end && isdigit((unsigned char)*sign) && at + letters + 1 == after;
}

/* Writes a number without the suffix of its type: demanglers write "120ul", debug information "120". Returns
 * its end. */
static const char *put_number(struct name *name, const char *at, const char *end) {
    size_t length = demangled_word_length(at, end), digits = length;
    while (digits > 1 && strchr("uUlL", at[digits - 1]))
        digits--;
    put_text(name, at, digits);
    return at + length;
}

/* Pointers and references follow a space, as in C: demanglers write "node*", debug information "node *". */
static void put_pointer(struct name *name, char sign) {
    char before = name->used ? name->text[name->used - 1] : ' ';
    if (demangled_is_word(before) || before == '>' || before == '}')
        put_text(name, " ", 1);
    put_text(name, &sign, 1);
}

/* Writes const where clang writes it: demanglers write "char const* const", clang "const char *const". type:
 * where the type begins in the text. */
static void put_const(struct name *name, size_t type) {
    static const char word[] = "const ";
    const size_t length = strlen(word);
    char before = name->text[name->used - 1];
    bool is_pointer = before == '*' || before == '&';
    put_text(name, word, is_pointer ? length - 1 : length);
    if (name->is_full || is_pointer)
        return;
    memmove(name->text + type + length, name->text + type, name->used - length - type);
    memcpy(name->text + type, word, length);
}

static bool is_const(const char *at, const char *end) {
    static const char word[] = " const";
    return demangled_starts(at, end, word) && demangled_word_length(at + 1, end) == strlen(word) - 1;
}

/* is_function: parentheses are parameters of enclosing functions. */
static void put_range(struct name *name, const char *at, const char *end, bool is_function, int depth) {
    const char *begin = at;
    size_t type = name->used;
    while (at < end && !name->is_full) {
        const char *after = demangled_skip(at, begin, end);
        bool begins_word = at == begin || !demangled_is_word(at[-1]);
        size_t hidden = begins_word ? inline_namespace(at, end) : 0;
        if (hidden)
            after = at + hidden;
        else if (!after)
            put_text(name, at, (size_t)((after = end) - at));
        else if (*at == '<')
            put_arguments(name, at, after, depth);
        else if (is_function && *at == '(' && !demangled_is_anonymous(at, end) &&
                 !demangled_starts(at, end, "(*"))
            after = demangled_skip_qualifiers(after, end);
        else if (is_function && *at == '{')
            put_braces(name, at, after);
        else if (!is_function && name->used > type && is_const(at, end)) {
            put_const(name, type);
            after = at + strlen(" const");
        } else if (!is_function && (*at == '*' || *at == '&'))
            put_pointer(name, *at);
        else if (!is_function && begins_word && isdigit((unsigned char)*at))
            after = put_number(name, at, end);
        else if (!is_function && *at == '(' && !demangled_is_anonymous(at, end)) {
            if (!is_number_cast(at, after, begin, end))
                put_group(name, at, after, depth);
        } else if (!demangled_starts(at, end, "[abi:"))
            put_text(name, at, (size_t)(after - at));
        if (*at == ',' || (*at == ' ' && name->used == type + 1))
            type = name->used;
        at = after;
    }
}

/* True if the name fits. */
static bool write_name(struct name *name, const char *prefix, struct range from, bool is_function,
                       size_t columns) {
    name->used = 0;
    name->is_full = false;
    put_text(name, prefix, strlen(prefix));
    put_range(name, from.begin, from.end, is_function, 0);
    return !name->is_full && columns_of(name->text, name->used) <= columns;
}

/* The position after the outermost scope; NULL: none. */
static const char *next_scope(struct range name) {
    for (const char *at = name.begin; at && at < name.end; at = demangled_skip(at, name.begin, name.end))
        if (demangled_starts(at, name.end, "::"))
            return at + 2;
    return NULL;
}

/* Drops template arguments, starting with the longest, then outer scopes, but never the name itself. */
static void shorten_name(char text[NAME_SIZE], struct range from, bool is_function, size_t columns) {
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

static void write_whole(char *text, size_t size, struct range from, bool is_function) {
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
    write_whole(text, size, (struct range){type, type + strlen(type)}, false);
}

void name_function(char text[NAME_SIZE], const char *function, size_t columns) {
    if (function && is_remark(function) && strlen(function) < NAME_SIZE)
        strcpy(text, function);
    else
        shorten_name(text, demangled_name(function ? function : "?"), true, columns);
}

/* Returns the end of the types that are shown if a line allocates many types. */
static const char *after_first_types(const char *type) {
    enum { SHOWN = 3 };
    const char *end = type;
    for (int i = 0; i < SHOWN && end; i++)
        end = strstr(end + (i > 0), " or ");
    return end ? end : type + strlen(type);
}

void name_type(char text[NAME_SIZE], const char *type, size_t columns) {
    static const char further[] = " or ...";
    const char *end = after_first_types(type);
    shorten_name(text, (struct range){type, end}, false, columns);
    if (*end && strlen(text) + sizeof further <= NAME_SIZE)
        strcat(text, further);
}
