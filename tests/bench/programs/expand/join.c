/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <string.h>

char *joined(struct names *names, struct words *arguments) {
    (void)names;
    const char *between = words_at(arguments, 0);
    struct words *words = split(words_at(arguments, 1));
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++) {
        text_add(&text, between, i ? strlen(between) : 0);
        text_add(&text, words_at(words, i), strlen(words_at(words, i)));
    }
    words_end(words);
    return text_end(&text);
}
