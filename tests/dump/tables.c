/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A C program that allocates in functions, in inlined functions and in a header's macros. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct word {
    char *text;
    UT_hash_handle hh;
};

static struct word *words;

static inline void *checked_malloc(size_t size) {
    void *block = malloc(size);
    if (!block)
        abort();
    return block;
}

static inline struct word *new_word(const char *text) {
    struct word *word = checked_malloc(sizeof *word);
    word->text = strdup(text);
    return word;
}

void add_word(const char *text) {
    struct word *word;
    HASH_FIND_STR(words, text, word);
    if (word)
        return;
    word = new_word(text);
    HASH_ADD_KEYPTR(hh, words, word->text, strlen(word->text), word);
}

__attribute__((noinline)) char *grow(char *block, size_t size) {
    return realloc(block, size);
}

int main(int count, char **arguments) {
    for (int i = 0; i < count; i++)
        add_word(arguments[i]);
    char *buffer = grow(checked_malloc(10), 100);
    snprintf(buffer, 100, "%u words", HASH_COUNT(words));
    puts(buffer);
    free(buffer);
    return 0;
}
