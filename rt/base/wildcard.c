/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Patterns for names of C and C++. */
#include "base/words.h"

#include <stddef.h>
#include <string.h>

/* Behind the character at text, of however many bytes. */
static const char *behind(const char *text) {
    do
        text++;
    while ((*text & 0xC0) == 0x80);
    return text;
}

/* 0: no star begins there. */
static size_t star_length(const char *pattern) {
    return *pattern == '*' ? 1 : strncmp(pattern, "...", 3) == 0 ? 3 : 0;
}

size_t wildcard_prefix(const char *pattern) {
    size_t length = 0;
    while (pattern[length] && pattern[length] != '?' && !star_length(pattern + length))
        length++;
    return length;
}

/* Each star stands for as little as possible; only the last one must ever be tried with more, for what an
 * earlier one takes less the last one can take as well. So the time is the product of the lengths. */
bool wildcard_match(const char *pattern, const char *text) {
    const char *behind_star = NULL, *star_end = NULL;
    while (*text) {
        size_t star = star_length(pattern);
        if (star) {
            behind_star = pattern += star;
            star_end = text;
        } else if (*pattern == '?') {
            pattern++;
            text = behind(text);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (behind_star) {
            pattern = behind_star;
            text = star_end = behind(star_end);
        } else
            return false;
    }
    for (size_t star; (star = star_length(pattern));)
        pattern += star;
    return !*pattern;
}
