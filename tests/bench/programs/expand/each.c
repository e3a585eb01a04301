/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>
#include <string.h>

/* Expands the third argument for each word of the second, with the first as a variable for that word. */
char *each(struct names *names, struct words *arguments) {
    const char *name = words_at(arguments, 0), *body = words_at(arguments, 2);
    struct words *words = split(words_at(arguments, 1));
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words_at(words, i);
        set(names_add(names, name, strlen(name)), word, strlen(word));
        char *value = expand(names, body, strlen(body));
        text_join(&text, value);
        free(value);
    }
    words_end(words);
    return text_end(&text);
}
