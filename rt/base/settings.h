/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Parses "key=value:key=value" by a table of keys. Pure: no environment, no output, no allocation. */
#ifndef ALLOCSITE_BASE_SETTINGS_H
#define ALLOCSITE_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct setting_value {
    const char *text; /* not NUL-terminated */
    size_t length;
};

struct setting;

/* Parses a value into the member. Returns NULL, or what is wrong, and leaves the member unchanged. */
typedef const char *setting_read(const struct setting *, struct setting_value, void *member);

struct setting {
    const char *name;
    setting_read *read; /* NULL: another part of allocsite parses it, and any value is accepted */
    size_t offset;      /* of the member in the filled-in structure */
    const char *standard;
};

struct settings {
    const struct setting *list;
    size_t count;
};

/* Sets all members to their standard values. */
void settings_default(const struct settings *, void *to);

/* Receives what is wrong with a pair of `length` bytes at pair. */
typedef void settings_complaint(const char *what, const char *pair, size_t length);

/* Returns the message for a wrong value: `wrong`, or a hint at the separator if the value contains a comma
 * and another option. */
const char *setting_explain(struct setting_value, const char *wrong);

/* Sets the members named in text; the last pair of a key wins. A quoted value may contain colons. Wrong pairs
 * are reported and ignored. */
void settings_parse(const struct settings *, void *to, const char *text, settings_complaint *);

/* Finds the next pair from *text on, and moves *text past it. Returns false if there is none. The pair has a
 * name and a value without quotes, or *wrong says what is wrong with its form. */
struct setting_pair {
    const char *start;
    size_t length;
    struct setting_value name, value;
    const char *wrong;
};
bool settings_next(const char **text, struct setting_pair *);

bool setting_is(struct setting_value, const char *word);

/* ---- Parsers. The member is an array of SETTING_PATH_SIZE for read_path, a bool for read_boolean, a
 * uint64_t for read_number and read_size (with a unit). */
#define SETTING_PATH_SIZE 1024
setting_read read_path, read_boolean, read_number, read_size;

/* The member is a uint64_t: the number of frames to keep of a stack, at most OPTIONS_STACK_MOST. */
#define OPTIONS_STACK_MOST 64
setting_read read_stack;

/* Words and their values; ends with text NULL. */
struct setting_word {
    const char *text;
    int value;
};
bool setting_word(struct setting_value, const struct setting_word *, int *);
bool setting_amount(struct setting_value, bool is_bytes, uint64_t *);

#endif
