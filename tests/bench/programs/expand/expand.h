/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Expands text with variables and functions, like make. Each file has one or two functions, so that most
 * calls lead to another file, as in programs of many files. */
#ifndef EXPAND_H
#define EXPAND_H

#include <stddef.h>

struct text {
    char *chars;
    size_t length, room;
};

struct words {
    char **items;
    size_t count, room;
};

struct variable {
    struct variable *next;
    char *name, *value;
};

struct names {
    struct variable *first[64];
};

typedef char *function(struct names *names, struct words *arguments);

/* memory.c: never NULL. */
void *take(size_t size);
void *resize(void *block, size_t size);
char *copy(const char *chars, size_t length);

/* text.c */
void text_put(struct text *text, char character);
void text_add(struct text *text, const char *chars, size_t length);
void text_join(struct text *text, const char *word);
char *text_end(struct text *text);

/* words.c */
void words_add(struct words *words, char *word);
char *words_at(const struct words *words, size_t index);
void words_end(struct words *words);

/* split.c, scan.c, hash.c */
struct words *split(const char *chars);
size_t scan_word(const char *chars);
size_t scan_argument(const char *chars, char end);
unsigned hash(const char *chars, size_t length);

/* names.c, define.c */
struct variable *names_find(struct names *names, const char *name, size_t length);
struct variable *names_add(struct names *names, const char *name, size_t length);
void names_end(struct names *names);
void define(struct names *names, const char *line);
void set(struct variable *variable, const char *value, size_t length);

/* expand.c, call.c, functions.c */
char *expand(struct names *names, const char *chars, size_t length);
char *call(struct names *names, function *called, const char *chars, size_t length);
function *function_find(const char *name, size_t length);

/* One file each. */
function upper, reverse, sorted, joined, substituted, each, counted;

#endif
