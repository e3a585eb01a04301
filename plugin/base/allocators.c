/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/allocators.h"

#include <stdlib.h>
#include <string.h>

#define ROW(symbol, callee, prototype, kind, replaceable)                                                    \
    {#symbol, callee, prototype, ALLOCSITE_##kind, replaceable},
#define HEAP_ALLOC(...)   ROW(__VA_ARGS__, ALLOC, true)
#define HEAP_REALLOC(...) ROW(__VA_ARGS__, REALLOC, true)
#define HEAP_FREE(...)    ROW(__VA_ARGS__, FREE, true)
#define OPERATOR_NEW      HEAP_ALLOC
#define OPERATOR_DELETE   HEAP_FREE
#define COPY(...)         ROW(__VA_ARGS__, ALLOC, false)
#define MARK              COPY
#define UNMARK            HEAP_FREE
/* The callee's name is the name of the function that contains the call. */
#define CUSTOM(symbol, prototype, kind) {#symbol, "", prototype, kind, false},

/* Sorted by symbol, for the binary search. */
static const struct allocator table[] = {
#include "allocators.def"
};

struct key {
    const char *symbol;
    size_t length;
};

/* The symbol is the first member of a row. */
static int compare_allocators(const void *left, const void *right) {
    const struct key *key = left;
    const char *symbol = *(const char *const *)right;
    int order = strncmp(key->symbol, symbol, key->length);
    return order == 0 && symbol[key->length] != '\0' ? -1 : order;
}

const struct allocator *allocator_find(const char *symbol, size_t length) {
    struct key key = {symbol, length};
    return bsearch(&key, table, sizeof table / sizeof *table, sizeof *table, compare_allocators);
}

const struct allocator *allocator_table(size_t *count) {
    *count = sizeof table / sizeof *table;
    return table;
}

static bool starts_with(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Itanium C++ ABI, 5.1: `St` is std::; Sa, Sb, Ss, Si, So and Sd abbreviate members of std. */
bool library_has(const char *symbol) {
    if (!starts_with(symbol, "_Z"))
        return false;
    symbol += 2;
    symbol += strspn(symbol, "Z"); /* lambdas and classes within functions */
    if (*symbol != 'N')
        return starts_with(symbol, "St");
    symbol++;
    symbol += strspn(symbol, "rVKRO"); /* qualifiers of a member function */
    return starts_with(symbol, "9__gnu_cxx") ||
           (symbol[0] == 'S' && symbol[1] && strchr("tabsiod", symbol[1]));
}
