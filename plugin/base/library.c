/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "base/library.h"

#include <string.h>

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
