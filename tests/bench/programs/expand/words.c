/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "expand.h"

#include <stdlib.h>

void words_add(struct words *words, char *word) {
    if (words->count == words->room) {
        words->room = 2 * words->room + 4;
        words->items = resize(words->items, words->room * sizeof *words->items);
    }
    words->items[words->count++] = word;
}

char *words_at(const struct words *words, size_t index) {
    return index < words->count ? words->items[index] : NULL;
}

void words_end(struct words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    free(words);
}
