/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/allocators.h"

#include <stdlib.h>
#include <string.h>

/* A: the heap. L: the C library. B: the same, where the caller may bring a buffer. V: the same, variadic. */
#define A(symbol, callee, prototype)                                                                         \
    { symbol, callee, prototype, ALLOCSITE_ALLOC, SITE_LAST, true, true }
#define R(symbol, callee, prototype)                                                                         \
    { symbol, callee, prototype, ALLOCSITE_REALLOC, SITE_LAST, true, true }
#define F(symbol, callee, prototype)                                                                         \
    { symbol, callee, prototype, ALLOCSITE_FREE, SITE_LAST, true, false }
#define L(symbol, callee, prototype)                                                                         \
    { symbol, callee, prototype, ALLOCSITE_ALLOC, SITE_LAST, false, true }
#define B(symbol, callee, prototype)                                                                         \
    { symbol, callee, prototype, ALLOCSITE_ALLOC, SITE_LAST, false, false }
#define V(symbol, callee, prototype)                                                                         \
    { symbol, callee, prototype, ALLOCSITE_ALLOC, SITE_FIRST, false, true }

/* Called by the definition of a custom allocator (find/custom.cpp), after which the site is named. */
#define C(symbol, prototype, kind)                                                                           \
    { symbol, "", prototype, kind, SITE_LAST, false, false }

/* Sorted by symbol (strcmp), for the binary search. The leading-underscore twins of libc functions are what
 * glibc's headers call under _FORTIFY_SOURCE or with optimisation. Operators: Itanium C++ ABI, 5.1.5. */
static const struct allocator table[] = {
    F("_ZdaPv", "operator delete[]", "vp"),
    F("_ZdaPvRKSt9nothrow_t", "operator delete[]", "vpp"),
    F("_ZdaPvSt11align_val_t", "operator delete[]", "vpz"),
    F("_ZdaPvSt11align_val_tRKSt9nothrow_t", "operator delete[]", "vpzp"),
    F("_ZdaPvm", "operator delete[]", "vpz"),
    F("_ZdaPvmSt11align_val_t", "operator delete[]", "vpzz"),
    F("_ZdlPv", "operator delete", "vp"),
    F("_ZdlPvRKSt9nothrow_t", "operator delete", "vpp"),
    F("_ZdlPvSt11align_val_t", "operator delete", "vpz"),
    F("_ZdlPvSt11align_val_tRKSt9nothrow_t", "operator delete", "vpzp"),
    F("_ZdlPvm", "operator delete", "vpz"),
    F("_ZdlPvmSt11align_val_t", "operator delete", "vpzz"),
    A("_Znam", "operator new[]", "pz"),
    A("_ZnamRKSt9nothrow_t", "operator new[]", "pzp"),
    A("_ZnamSt11align_val_t", "operator new[]", "pzz"),
    A("_ZnamSt11align_val_tRKSt9nothrow_t", "operator new[]", "pzzp"),
    A("_Znwm", "operator new", "pz"),
    A("_ZnwmRKSt9nothrow_t", "operator new", "pzp"),
    A("_ZnwmSt11align_val_t", "operator new", "pzz"),
    A("_ZnwmSt11align_val_tRKSt9nothrow_t", "operator new", "pzzp"),
    V("__asprintf_chk", "asprintf", "ipip."),
    B("__getcwd_chk", "getcwd", "ppzz"),
    B("__getdelim", "getdelim", "zppip"),
    B("__realpath_chk", "realpath", "pppz"),
    L("__strdup", "strdup", "pp"),
    L("__strndup", "strndup", "ppz"),
    L("__vasprintf_chk", "vasprintf", "ipipp"),
    A("aligned_alloc", "aligned_alloc", "pzz"),
    C("allocsite_custom_alloc", "vpzzz", ALLOCSITE_ALLOC),
    C("allocsite_custom_free", "vp", ALLOCSITE_FREE),
    C("allocsite_custom_realloc", "vpzpz", ALLOCSITE_REALLOC),
    C("allocsite_custom_release", "vzz", ALLOCSITE_FREE),
    C("allocsite_custom_release_all", "vz", ALLOCSITE_FREE),
    L("allocsite_mark_block", "allocsite_mark", "vpz"),
    F("allocsite_unmark_block", "allocsite_unmark", "vp"),
    V("asprintf", "asprintf", "ipp."),
    L("backtrace_symbols", "backtrace_symbols", "ppi"),
    A("calloc", "calloc", "pzz"),
    L("canonicalize_file_name", "canonicalize_file_name", "pp"),
    F("free", "free", "vp"),
    L("get_current_dir_name", "get_current_dir_name", "p"),
    B("getcwd", "getcwd", "ppz"),
    B("getdelim", "getdelim", "zppip"),
    B("getline", "getline", "zppp"),
    A("malloc", "malloc", "pz"),
    A("memalign", "memalign", "pzz"),
    L("open_memstream", "open_memstream", "ppp"),
    L("open_wmemstream", "open_wmemstream", "ppp"),
    A("posix_memalign", "posix_memalign", "ipzz"),
    A("pvalloc", "pvalloc", "pz"),
    R("realloc", "realloc", "ppz"),
    R("reallocarray", "reallocarray", "ppzz"),
    B("realpath", "realpath", "ppp"),
    L("scandir", "scandir", "ipppp"),
    L("scandir64", "scandir64", "ipppp"),
    L("scandirat", "scandirat", "iipppp"),
    L("scandirat64", "scandirat64", "iipppp"),
    L("strdup", "strdup", "pp"),
    L("strndup", "strndup", "ppz"),
    L("tempnam", "tempnam", "ppp"),
    A("valloc", "valloc", "pz"),
    L("vasprintf", "vasprintf", "ippp"),
    L("wcsdup", "wcsdup", "pp"),
};

struct key {
    const char *symbol;
    size_t length;
};

static int compare(const void *left, const void *right) {
    const struct key *key = left;
    const struct allocator *entry = right;
    int order = strncmp(key->symbol, entry->symbol, key->length);
    if (order == 0 && entry->symbol[key->length] != '\0')
        return -1;
    return order;
}

const struct allocator *allocator_find(const char *symbol, size_t length) {
    struct key key = {symbol, length};
    return bsearch(&key, table, sizeof table / sizeof *table, sizeof *table, compare);
}

const struct allocator *allocator_table(size_t *count) {
    *count = sizeof table / sizeof *table;
    return table;
}

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Itanium C++ ABI, 5.1: St is std::, the others are abbreviations of its members. */
bool library_has(const char *symbol) {
    if (!starts(symbol, "_Z"))
        return false;
    symbol += 2;
    symbol += strspn(symbol, "Z"); /* lambdas and classes within functions */
    if (*symbol != 'N')
        return starts(symbol, "St");
    symbol++;
    symbol += strspn(symbol, "rVKRO"); /* qualifiers of a member function */
    return starts(symbol, "9__gnu_cxx") || (symbol[0] == 'S' && symbol[1] && strchr("tabsiod", symbol[1]));
}
