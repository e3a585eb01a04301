/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Counts the words of text files in a uthash table and prints the most frequent ones.
 * uthash is all macros: its allocations are in the function that adds to the
 * table. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct word {
    char *text;
    unsigned long count;
    UT_hash_handle hh;
};

static void count_word(struct word **words, const char *text, size_t length) {
    struct word *word;
    HASH_FIND(hh, *words, text, length, word);
    if (!word) {
        word = calloc(1, sizeof *word);
        word->text = strndup(text, length);
        HASH_ADD_KEYPTR(hh, *words, word->text, length, word);
    }
    word->count++;
}

static void count_line(struct word **words, char *line) {
    for (char *end; *line; line = end) {
        while (*line && !isalpha((unsigned char)*line))
            line++;
        for (end = line; isalpha((unsigned char)*end); end++)
            *end = (char)tolower((unsigned char)*end);
        if (end > line)
            count_word(words, line, (size_t)(end - line));
    }
}

static int count_file(struct word **words, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 1;
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) >= 0)
        count_line(words, line);
    free(line);
    fclose(file);
    return 0;
}

static int by_falling_count(const struct word *a, const struct word *b) {
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return strcmp(a->text, b->text);
}

static void print_and_free(struct word **words, unsigned top) {
    struct word *word, *next;
    HASH_SORT(*words, by_falling_count);
    printf("%u words\n", HASH_COUNT(*words));
    HASH_ITER(hh, *words, word, next) {
        if (top > 0 && top--)
            printf("%8lu %s\n", word->count, word->text);
        HASH_DEL(*words, word);
        free(word->text);
        free(word);
    }
}

int main(int argc, char **argv) {
    struct word *words = NULL;
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= count_file(&words, argv[i]);
    print_and_free(&words, 5);
    return failed;
}
