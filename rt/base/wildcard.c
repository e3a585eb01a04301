/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Patterns for names of C and C++. */
#include "base/words.h"

#include <stddef.h>
#include <string.h>

/* Returns the next UTF-8 character. */
static const char *next_character(const char *text) {
    do
        text++;
    while ((*text & 0xC0) == 0x80);
    return text;
}

/* Returns the length of a star at pattern; 0 if there is none. */
static size_t star_length(const char *pattern) {
    return *pattern == '*' ? 1 : strncmp(pattern, "...", 3) == 0 ? 3 : 0;
}

size_t wildcard_prefix(const char *pattern) {
    size_t length = 0;
    while (pattern[length] && pattern[length] != '?' && !star_length(pattern + length))
        length++;
    return length;
}

/* Each star matches as little as possible. Only the last star is ever extended, because it can match
 * everything that extending an earlier star could. So the time is at most the product of the lengths. */
bool wildcard_match(const char *pattern, const char *text) {
    const char *after_star = NULL, *star_end = NULL;
    while (*text) {
        size_t star = star_length(pattern);
        if (star) {
            after_star = pattern += star;
            star_end = text;
        } else if (*pattern == '?') {
            pattern++;
            text = next_character(text);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (after_star) {
            pattern = after_star;
            text = star_end = next_character(star_end);
        } else
            return false;
    }
    for (size_t star; (star = star_length(pattern));)
        pattern += star;
    return !*pattern;
}
