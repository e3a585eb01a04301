/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reduces names of functions to a form that all demanglers share. */
#include "dump/base/names.h"

#include "base/arrays.h"
#include "dump/base/memory.h"
#include "names/demangled.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct base {
    char *text; /* never longer than the consumed input */
    size_t length;
};

static void base_append(struct base *base, const char *text, size_t length) {
    memmove(base->text + base->length, text, length);
    base->length += length;
}

/* LLVM prints 'lambda0', libiberty {lambda(int)#1}: both become {lambda}. */
static void append_unnamed(struct base *base, const char *at, const char *after) {
    const char *word = at + 1, *end = word;
    while (end < after - 1 && isalpha((unsigned char)*end))
        end++;
    bool is_known = end > word && (*at == '{' || end < after);
    if (!is_known) {
        base_append(base, at, (size_t)(after - at));
        return;
    }
    base_append(base, "{", 1);
    base_append(base, word, (size_t)(end - word));
    base_append(base, "}", 1);
}

/* new and delete stay, and a conversion becomes '@'. Operators that begin with an angle bracket are dropped,
 * because "operator<<<int>" is ambiguous. Returns the position after the operator. */
static const char *append_operator(struct base *base, const char *at, const char *end) {
    static const char *const named[] = {" new", " delete", " co_await"};
    const char *symbol = at + strlen("operator"), *after = symbol;
    base_append(base, at, strlen("operator"));
    if (demangled_starts(symbol, end, "()")) {
        base_append(base, "()", 2);
        return symbol + 2;
    }
    if (symbol < end && strchr("<>", *symbol))
        return end;
    bool is_conversion = symbol < end && *symbol == ' ';
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        is_conversion &= !demangled_starts(symbol, end, named[i]);
    if (is_conversion) {
        base_append(base, "@", 1);
        after = demangled_skip_conversion(symbol, at, end);
        return after ? after : end;
    }
    while (after < end && *after != '(' && *after != '<')
        after++;
    base_append(base, symbol, (size_t)(after - symbol));
    return after;
}

static bool is_operator(const char *at, const char *begin, const char *end) {
    return demangled_starts(at, end, "operator") && !demangled_is_word(at[strlen("operator")]) &&
           (at == begin || !demangled_is_word(at[-1]));
}

static const char *base_take(struct base *base, const char *at, const char *begin, const char *end) {
    static const char anonymous[] = "{anonymous}";
    if (is_operator(at, begin, end))
        return append_operator(base, at, end);
    const char *after = demangled_skip(at, begin, end);
    if (!after) {
        base_append(base, at, (size_t)(end - at));
        return end;
    }
    if (demangled_is_anonymous(at, end))
        base_append(base, anonymous, strlen(anonymous));
    else if (*at == '(')
        return demangled_skip_qualifiers(after, end);
    else if (*at == '{' || *at == '\'')
        append_unnamed(base, at, after);
    else if (*at != '<' && *at != '[' && *at != ' ')
        base_append(base, at, (size_t)(after - at));
    return after;
}

void function_base(const char *function, char *text) {
    struct base base = {text, 0};
    struct range name = demangled_name(function);
    /* initializers of globals have a symbol but no name in debug information */
    bool is_initializer = demangled_starts(function, name.end, "_GLOBAL__");
    for (const char *at = name.begin; !is_initializer && at < name.end;)
        at = base_take(&base, at, name.begin, name.end);
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
    size_t length, capacity;
    jmp_buf too_long;
};

static void take_part(const char *part, size_t length, void *context) {
    struct demangled *to = context;
    if (to->length + length >= DEMANGLED_MAX)
        longjmp(to->too_long, 1);
    if (to->length + length >= to->capacity) {
        to->capacity = (to->length + length + 1) * 2;
        to->text = memory_need(realloc(to->text, to->capacity));
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

char *name_demangle(const char *name) {
    struct demangled to = {.text = NULL};
    if (!name || !is_mangled(name) || demangle_to(&to, name))
        return to.text;
    free(to.text);
    return NULL;
}

char *name_unversioned(const char *symbol) {
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
