/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Less than 1,024 bytes in total, so that viewers that round show every byte. */
#include <allocsite.h>
#include <stdlib.h>

struct word {
    struct word *next;
    char text[16];
};

static inline struct word *fresh(struct word *next) {
    struct word *word = malloc(sizeof *word);
    word->next = next;
    return word;
}

__attribute__((noinline)) struct word *more(int count, struct word *list) {
    for (int i = 0; i < count; i++)
        list = fresh(list);
    return list;
}

__attribute__((noinline)) struct word *deeper(int count, int depth) {
    struct word *list = depth ? deeper(count, depth - 1) : more(count, NULL);
    list->text[0] = (char)depth;
    return list;
}

int main(void) {
    allocsite_phase_push("loading");
    struct word *list = more(7, deeper(5, 3));
    allocsite_phase_pop();
    char *volatile buffer = malloc(100);
    buffer = realloc(buffer, 300);
    free(buffer);
    buffer = calloc(1, 50);
    return list == NULL;
}
