/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols of C++, for a process that has no demangler.
 *
 * What stands in template arguments and parameters is passed over without being understood: items end where
 * their brackets (N, I, F ... E) do. The name itself never refers back to parts of the symbol before it. */
#include "names/names.h"

#include "base/out.h"

#include <string.h>

enum { DEPTH_MOST = 100 };

struct symbol {
    const char *at; /* NULL: it is not understood */
    struct out out;
    const char *last; /* name, which constructors have too */
    size_t last_length;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void give_up(struct symbol *symbol) {
    symbol->at = NULL;
}

static size_t take_number(struct symbol *symbol) {
    size_t number = 0;
    while (is_digit(*symbol->at) && number < 100000)
        number = number * 10 + (size_t)(*symbol->at++ - '0');
    return number;
}

/* "3foo". Returns where the name is, and passes it over. */
static const char *take_source_name(struct symbol *symbol, size_t *length) {
    *length = take_number(symbol);
    const char *name = symbol->at;
    if (!*length || strnlen(name, *length) < *length)
        give_up(symbol);
    else
        symbol->at += *length;
    return name;
}

static void skip_items(struct symbol *symbol, int depth);

static void skip_item(struct symbol *symbol, int depth);

/* "Li42E", "LN1A1BE3E", "L_Z3foovE": the value's digits are no length. */
static void skip_literal(struct symbol *symbol, int depth) {
    if (strncmp(symbol->at, "_Z", 2) == 0) {
        symbol->at += 2;
        skip_items(symbol, depth);
        return;
    }
    skip_item(symbol, depth);
    symbol->at = symbol->at ? strchr(symbol->at, 'E') : NULL;
    symbol->at += symbol->at != NULL;
}

static void skip_item(struct symbol *symbol, int depth) {
    char first = *symbol->at, second = first ? symbol->at[1] : '\0';
    size_t length;
    if (is_digit(first)) {
        take_source_name(symbol, &length);
        return;
    }
    symbol->at++;
    if (!first || depth > DEPTH_MOST)
        give_up(symbol);
    else if (strchr("NIJFXZ", first) || (first == 'D' && (second == 't' || second == 'T')) ||
             (first == 'U' && second == 'l'))
        skip_items(symbol, depth + 1);
    else if (first == 'L')
        skip_literal(symbol, depth + 1);
    else if (first == 'S' || first == 'T' || first == 'A') {
        symbol->at += strspn(symbol->at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        symbol->at += *symbol->at && (first != 'S' || *symbol->at == '_' || strchr("tabsiod", *symbol->at));
    } else if (second && (first == 'D' || (first == '_' && is_digit(second))))
        symbol->at++;
}

/* Up to the E that ends them, and past it. */
static void skip_items(struct symbol *symbol, int depth) {
    while (symbol->at && *symbol->at != 'E')
        skip_item(symbol, depth);
    if (symbol->at)
        symbol->at++;
}

static void put_scope(struct symbol *symbol) {
    if (symbol->out.used)
        out_text(&symbol->out, "::");
}

static void put_source_name(struct symbol *symbol) {
    size_t length;
    const char *name = take_source_name(symbol, &length);
    if (!symbol->at)
        return;
    put_scope(symbol);
    symbol->last = name;
    symbol->last_length = length;
    if (length > 10 && memcmp(name, "_GLOBAL__N", 10) == 0)
        out_text(&symbol->out, "(anonymous namespace)");
    else
        out_bytes(&symbol->out, name, length);
}

static void put_operator(struct symbol *symbol) {
    static const char *const known[] = {"nw new", "na new[]", "dl delete", "da delete[]", "pl+",  "mi-",
                                        "ml*",    "dv/",      "rm%",       "an&",         "or|",  "eo^",
                                        "co~",    "nt!",      "aS=",       "lt<",         "gt>",  "pL+=",
                                        "mI-=",   "eq==",     "ne!=",      "le<=",        "ge>=", "ls<<",
                                        "rs>>",   "lS<<=",    "rS>>=",     "aa&&",        "oo||", "pp++",
                                        "mm--",   "cm,",      "pm->*",     "pt->",        "cl()", "ix[]",
                                        "ss<=>",  "de*",      "ad&",       "ng-",         "ps+"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(symbol->at, known[i], 2) == 0) {
            put_scope(symbol);
            out_text(&symbol->out, "operator");
            out_text(&symbol->out, known[i] + 2);
            symbol->at += 2;
            return;
        }
    give_up(symbol);
}

/* Behind S: what the standard library has often. */
static void put_abbreviation(struct symbol *symbol) {
    static const char *const known[] = {"tstd",          "astd::allocator", "bstd::basic_string",
                                        "sstd::string",  "istd::istream",   "ostd::ostream",
                                        "dstd::iostream"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (*symbol->at == known[i][0]) {
            put_scope(symbol);
            out_text(&symbol->out, known[i] + 1);
            symbol->last = strstr(known[i], "::") ? strstr(known[i], "::") + 2 : known[i] + 1;
            symbol->last_length = strlen(symbol->last);
            symbol->at++;
            return;
        }
    give_up(symbol);
}

/* Constructors and destructors, and functions without a name. */
static void put_special(struct symbol *symbol) {
    char kind = symbol->at[0], which = kind ? symbol->at[1] : '\0';
    if (kind == 'U' && (which == 'l' || which == 't')) {
        put_scope(symbol);
        out_text(&symbol->out, which == 'l' ? "'lambda'" : "'unnamed'");
        symbol->at += 2;
        if (which == 'l')
            skip_items(symbol, 0);
        if (!symbol->at)
            return;
        symbol->at += strspn(symbol->at, "0123456789");
        if (*symbol->at == '_')
            symbol->at++;
        else
            give_up(symbol);
    } else if ((kind == 'C' || kind == 'D') && is_digit(which) && symbol->last) {
        put_scope(symbol);
        out_text(&symbol->out, kind == 'D' ? "~" : "");
        out_bytes(&symbol->out, symbol->last, symbol->last_length);
        symbol->at += 2;
    } else
        give_up(symbol);
}

/* Strings and streams of char have names of their own (names.c). */
static void put_arguments(struct symbol *symbol) {
    static const char of_char[] = "cSt11char_traitsIcE";
    char before = symbol->out.used ? symbol->out.data[symbol->out.used - 1] : ' ';
    bool is_char = strncmp(symbol->at, of_char, strlen(of_char)) == 0;
    out_text(&symbol->out, before == '<' ? " <...>" : is_char ? "<char>" : "<...>");
    skip_items(symbol, 0);
}

static void put_part(struct symbol *symbol) {
    size_t length;
    char first = *symbol->at;
    if (is_digit(first))
        put_source_name(symbol);
    else if (first >= 'a' && first <= 'z')
        put_operator(symbol);
    else if (first == 'I' || first == 'S' || first == 'L' || first == 'B') {
        symbol->at++;
        if (first == 'I') {
            put_arguments(symbol);
        } else if (first == 'S')
            put_abbreviation(symbol);
        else if (first == 'B')
            take_source_name(symbol, &length);
    } else
        put_special(symbol);
}

static void put_name(struct symbol *symbol, int depth) {
    if (*symbol->at == 'Z' && depth < DEPTH_MOST) { /* within a function */
        symbol->at++;
        put_name(symbol, depth + 1);
        if (symbol->at)
            skip_items(symbol, 0);
        if (symbol->at && *symbol->at != 's')
            put_name(symbol, depth + 1);
        return;
    }
    bool is_nested = *symbol->at == 'N', is_std = strncmp(symbol->at, "St", 2) == 0;
    if (is_nested)
        symbol->at += 1 + strspn(symbol->at + 1, "rVKRO");
    symbol->at += *symbol->at == 'L'; /* of one file alone */
    if (is_std)
        put_part(symbol);
    do
        put_part(symbol);
    while (symbol->at && (is_nested ? *symbol->at != 'E' : *symbol->at == 'I' || *symbol->at == 'B'));
    if (symbol->at && is_nested)
        symbol->at++;
}

bool mangled_name(char *text, size_t size, const char *symbol) {
    struct symbol reading = {.at = symbol + 2};
    if (strncmp(symbol, "_Z", 2) != 0)
        return false;
    out_open_memory(&reading.out, text, size);
    put_name(&reading, 0);
    return reading.at;
}
