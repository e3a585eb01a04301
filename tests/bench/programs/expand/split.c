/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

struct words *split(const char *chars) {
    struct words *words = take(sizeof *words);
    *words = (struct words){0};
    while (*chars) {
        size_t length = scan_word(chars);
        if (length)
            words_add(words, copy(chars, length));
        chars += length + (chars[length] == ' ');
    }
    return words;
}
