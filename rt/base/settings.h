/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* "key=value:key=value", parsed by a table of keys. Pure: no environment, no output, no memory. */
#ifndef ALLOCSITE_BASE_SETTINGS_H
#define ALLOCSITE_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct setting_value {
    const char *text; /* not terminated */
    size_t length;
};

struct setting;

/* Parses a value into the member. Returns NULL, or what is wrong with the value: the member is unchanged. */
typedef const char *setting_read(const struct setting *, struct setting_value, void *member);

struct setting {
    const char *name;
    setting_read *read; /* NULL: another part of allocsite reads it, any value is accepted */
    size_t offset;      /* of the member in what is filled in */
    const char *standard;
};

struct settings {
    const struct setting *list;
    size_t count;
};

/* Fills in the standard values. */
void settings_default(const struct settings *, void *to);

/* A complaint about a pair of `length` bytes at pair: what is wrong with it. */
typedef void settings_complaint(const char *what, const char *pair, size_t length);

/* Fills in what text says, the last pair of a key wins. A pair that is wrong is complained about and left
 * out. A value in quotes may contain colons. */
void settings_parse(const struct settings *, void *to, const char *text, settings_complaint *);

/* Finds the next pair of text, from *text on, and leaves *text behind it. False: there is none. A pair of
 * which nothing is wrong with the form has its name and its value, without quotes, else *wrong says what. */
struct setting_pair {
    const char *start;
    size_t length;
    struct setting_value name, value;
    const char *wrong;
};
bool settings_next(const char **text, struct setting_pair *);

bool setting_is(struct setting_value, const char *word);

/* ---- Values of many keys. The member of read_path is an array of SETTING_PATH_SIZE, that of read_boolean a
 * bool, those of read_number and read_size (with a unit) are uint64_t. */
#define SETTING_PATH_SIZE 1024
setting_read read_path, read_boolean, read_number, read_size;

/* The member of read_stack is a uint64_t. The most frames that a run can keep of a stack: */
#define OPTIONS_STACK_MOST 64
setting_read read_stack;

/* Words and the int that each stands for, up to one without a text. */
struct setting_word {
    const char *text;
    int value;
};
bool setting_word(struct setting_value, const struct setting_word *, int *);
bool setting_amount(struct setting_value, bool is_bytes, uint64_t *);

#endif
