/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Indexes the words of a file with their lines in a uthash table: one block for each word, its text and each
 * of its lines. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct place {
    struct place *next;
    long line;
};

struct word {
    char *text;
    struct place *places;
    UT_hash_handle hh;
};

static void add_word(struct word **index, const char *text, size_t length, long line) {
    struct word *word;
    HASH_FIND(hh, *index, text, length, word);
    if (!word) {
        word = calloc(1, sizeof *word);
        word->text = strndup(text, length);
        HASH_ADD_KEYPTR(hh, *index, word->text, length, word);
    }
    struct place *place = malloc(sizeof *place);
    *place = (struct place){word->places, line};
    word->places = place;
}

static void add_line(struct word **index, const char *line, long number) {
    for (const char *end; *line; line = end) {
        while (*line && !isalnum((unsigned char)*line))
            line++;
        for (end = line; isalnum((unsigned char)*end);)
            end++;
        if (end > line)
            add_word(index, line, (size_t)(end - line), number);
    }
}

static void add_file(struct word **index, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    char *line = NULL;
    size_t size = 0;
    for (long number = 1; getline(&line, &size, file) >= 0; number++)
        add_line(index, line, number);
    free(line);
    fclose(file);
}

static long drop_word(struct word *word) {
    long lines = 0;
    for (struct place *place = word->places, *next; place; place = next) {
        next = place->next;
        lines += place->line;
        free(place);
    }
    free(word->text);
    free(word);
    return lines;
}

static long drop(struct word *index) {
    long lines = 0;
    struct word *word, *next;
    HASH_ITER(hh, index, word, next) {
        HASH_DEL(index, word);
        lines += drop_word(word);
    }
    return lines;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    long total = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--) {
        struct word *index = NULL;
        add_file(&index, argv[2]);
        total += (long)HASH_COUNT(index) + drop(index);
    }
    printf("%ld\n", total);
}
