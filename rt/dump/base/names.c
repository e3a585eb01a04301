/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reduces names of functions to a form that all demanglers share. */
#include "dump/base/names.h"

#include "base/arrays.h"
#include "dump/base/memory.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct base {
    const char *rest; /* unread input */
    char *text;       /* never longer than the consumed input */
    size_t length;
};

static bool starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_identifier(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void append(struct base *base, const char *text) {
    size_t length = strlen(text);
    memcpy(base->text + base->length, text, length);
    base->length += length;
}

/* Skips from an opening bracket past the closing one, or to the end. */
static const char *skip_group(const char *at, char open, char close) {
    size_t depth = 0;
    for (; *at; at++) {
        depth += *at == open;
        if (*at == close && --depth == 0)
            return at + 1;
    }
    return at;
}

/* Skips template arguments. Demanglers parenthesize an expression that contains '>'. */
static const char *skip_arguments(const char *at) {
    size_t depth = 0;
    while (*at) {
        if (*at == '(') {
            at = skip_group(at, '(', ')');
            continue;
        }
        depth += *at == '<';
        if (*at++ == '>' && --depth == 0)
            break;
    }
    return at;
}

/* LLVM prints 'lambda0', libiberty {lambda(int)#1}: both become {lambda}. False: no lambda here. */
static bool take_unnamed(struct base *base) {
    const char *word = base->rest + 1, *end = word;
    while (isalpha((unsigned char)*end))
        end++;
    const char *after = *base->rest == '\'' ? strchr(word, '\'') : skip_group(base->rest, '{', '}');
    if (!after || after <= end - (*base->rest == '\'') || after == word || *after == '\0')
        return false;
    base->text[base->length++] = '{';
    memmove(base->text + base->length, word, (size_t)(end - word));
    base->length += (size_t)(end - word);
    base->text[base->length++] = '}';
    base->rest = *base->rest == '\'' ? after + 1 : after;
    return true;
}

/* After "operator": new and delete stay, and a conversion becomes '@'. Operators that begin with an angle
 * bracket are dropped, because "operator<<<int>" is ambiguous. */
static void take_operator(struct base *base) {
    append(base, "operator");
    base->rest += strlen("operator");
    const char *at = base->rest;
    if (starts(at, "()")) {
        append(base, "()");
        base->rest += 2;
        return;
    }
    if (*at == '<' || *at == '>') {
        base->rest += strcspn(at, "(");
        return;
    }
    if (*at == ' ' && !starts(at, " new") && !starts(at, " delete") && !starts(at, " co_await")) {
        base->text[base->length++] = '@';
        while (*base->rest && *base->rest != '(')
            base->rest = *base->rest == '<' ? skip_arguments(base->rest) : base->rest + 1;
        return;
    }
    while (*base->rest && *base->rest != '(' && *base->rest != '<')
        base->text[base->length++] = *base->rest++;
}

static const char *skip_qualifiers(const char *at) {
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &", "[abi:"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (starts(at, qualifiers[i]))
            return skip_qualifiers(*at == '[' ? skip_group(at, '[', ']') : at + strlen(qualifiers[i]));
    return at;
}

/* libiberty writes a space after the word. */
static bool is_decltype(const struct base *base) {
    static const char word[] = "decltype";
    size_t length = strlen(word);
    return base->length == length && memcmp(base->text, word, length) == 0 &&
           base->rest[strspn(base->rest, " ")] == '(';
}

/* At an opening parenthesis. False: the name is complete. */
static bool take_parenthesis(struct base *base) {
    static const char anonymous[] = "(anonymous namespace)";
    if (starts(base->rest, anonymous)) {
        append(base, "{anonymous}");
        base->rest += strlen(anonymous);
        return true;
    }
    if (base->length == 0) { /* a function that returns a pointer to a function */
        base->rest++;
        return true;
    }
    bool is_type = is_decltype(base);
    base->rest = skip_group(base->rest, '(', ')');
    if (is_type) {
        base->length = 0;
        return true;
    }
    base->rest = skip_qualifiers(base->rest);
    return starts(base->rest, "::");
}

static bool is_operator(const struct base *base) {
    size_t length = strlen("operator");
    return starts(base->rest, "operator") && !is_identifier(base->rest[length]) &&
           (base->length == 0 || !is_identifier(base->text[base->length - 1]));
}

/* False: the name is complete. */
static bool take(struct base *base) {
    switch (*base->rest) {
    case '\0':
        return false;
    case '(':
        return take_parenthesis(base);
    case '<':
        base->rest = skip_arguments(base->rest);
        return true;
    case '[':
        base->rest = skip_group(base->rest, '[', ']');
        return true;
    case ' ': /* the text before was the return type */
    case '*':
    case '&':
        if (!is_decltype(base))
            base->length = 0;
        base->rest++;
        return true;
    case '\'':
    case '{':
        if (take_unnamed(base))
            return true;
        break;
    default:
        if (is_operator(base)) {
            take_operator(base);
            return true;
        }
    }
    base->text[base->length++] = *base->rest++;
    return true;
}

/* Initializers of globals have a symbol but no name in debug information. */
static bool is_initializer(const char *function) {
    return starts(function, "_GLOBAL__");
}

void function_base(const char *function, char *text) {
    struct base base = {function, text, 0};
    while (!is_initializer(function) && take(&base))
        ;
    text[base.length] = '\0';
}

char *function_base_copy(const char *function) {
    char *base = function ? memory_zeros(strlen(function), 1) : NULL;
    if (base)
        function_base(function, base);
    return base;
}

/* ---- Names of C++ and Rust functions as in the source. */

/* Back references can make a name's length exponential. */
enum { DEMANGLED_MAX = 1 << 16 };

struct demangled {
    char *text; /* NULL: empty */
    size_t length, room;
    jmp_buf too_long;
};

static void take_part(const char *part, size_t length, void *context) {
    struct demangled *to = context;
    if (to->length + length >= DEMANGLED_MAX)
        longjmp(to->too_long, 1);
    if (to->length + length >= to->room) {
        to->room = (to->length + length + 1) * 2;
        to->text = memory_need(realloc(to->text, to->room));
    }
    memcpy(to->text + to->length, part, length);
    to->length += length;
    to->text[to->length] = '\0';
}

/* libiberty keeps its state on the stack, so a longjmp may leave it. Rust is tried first, because its older
 * symbols are also valid C++ symbols with a hash as the last component. */
static bool demangle_to(struct demangled *to, const char *name) {
    return setjmp(to->too_long) == 0 &&
           (rust_demangle_callback(name, 0, take_part, to) ||
            cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, take_part, to));
}

char *demangle(const char *name) {
    struct demangled to = {.text = NULL};
    if (!name || !is_mangled(name) || demangle_to(&to, name))
        return to.text;
    free(to.text);
    return NULL;
}

char *unversioned(const char *symbol) {
    return memory_text("%.*s", (int)strcspn(symbol, "@"), symbol);
}

/* ---- The order of a report's modules. */

static int compare_modules(const void *a, const void *b) {
    const struct report_module *left = a, *right = b;
    return compare_names(left->path, right->path) ?: compare_names(left->build_id, right->build_id);
}

void modules_sort(struct report_module *modules, size_t count) {
    sort_list(modules, count, sizeof *modules, compare_modules);
}
