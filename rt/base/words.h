/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and words that people type: amounts, suggestions, patterns. */
#ifndef ALLOCSITE_BASE_WORDS_H
#define ALLOCSITE_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Numbers as digits. */

/* Writes digits so that they end before `end`, and returns their start. */
static inline char *digits_before(char *end, uint64_t number, unsigned base) {
    do
        *--end = "0123456789abcdef"[number % base];
    while (number /= base);
    return end;
}

/* Returns the number at the start of the text; 0 if there is none. */
static inline uint64_t digits_read(const char *text) {
    uint64_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number;
}

/* ---- Amounts. */

/* Reads the number at *text and moves *text past it. With is_bytes it may have a unit (B, KiB, MiB, GiB,
 * TiB), after optional spaces, and then decimals: "4096", "4096 B", "1.5MiB". Rounds down to whole bytes.
 * Returns NULL and sets *amount, or returns what is wrong. */
const char *amount_read(const char **text, bool is_bytes, uint64_t *amount);

/* Like amount_read, for a text that must have nothing else. */
const char *amount_read_all(const char *text, bool is_bytes, uint64_t *amount);

/* Writes the amount for amount_read, in the largest unit that divides it; AMOUNT_SIZE bytes. */
#define AMOUNT_SIZE 32
void amount_write(char *text, uint64_t amount, bool is_bytes);

/* ---- Suggestions for mistyped words. */

struct similar {
    const char *word; /* the unknown word, `length` bytes */
    size_t length;
    const char *best; /* NULL: no known word is similar */
    size_t distance;
};

/* Tries a known word. A word is similar if at most a third of its letters are missing, added, changed or
 * swapped with the next one. */
void similar_try(struct similar *, const char *known);

/* ---- Patterns for names of C and C++ (wildcard.c).
 *
 * Not fnmatch: its brackets are sets, so "operator new[]" and "char[16]" would need quotes, and its time can
 * be exponential. */

/* Returns whether pattern matches all of text. * matches any characters, including none and slashes; ?
 * matches one. "..." is a star too, because reports write it for omitted parts of a name. */
bool wildcard_match(const char *pattern, const char *text);

/* Returns the length of the literal prefix of the pattern. */
size_t wildcard_prefix(const char *pattern);

#endif
