/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *sorted(struct names *names, struct words *arguments) {
    (void)names;
    struct words *words = split(words_at(arguments, 0));
    qsort(words->items, words->count, sizeof *words->items, compare);
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++)
        text_join(&text, words_at(words, i));
    words_end(words);
    return text_end(&text);
}
