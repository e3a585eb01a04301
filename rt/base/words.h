/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Words that people write: amounts, and what a mistyped one was meant to be. */
#ifndef ALLOCSITE_BASE_WORDS_H
#define ALLOCSITE_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Numbers as digits. */

/* Writes those that end before `end`, and returns where they start. */
static inline char *digits_before(char *end, uint64_t number, unsigned base) {
    do
        *--end = "0123456789abcdef"[number % base];
    while (number /= base);
    return end;
}

/* What the text begins with; 0 if that is no number. */
static inline uint64_t digits_read(const char *text) {
    uint64_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number;
}

/* ---- Amounts as people write them. */

/* Reads the number at *text, and leaves *text behind it. With is_bytes it may have a unit, next to it or
 * behind spaces, and then decimals as well: "4096", "4096 B", "1.5MiB". B, KiB, MiB, GiB, TiB; what is not a
 * whole number of bytes is rounded down. NULL: *amount is set; else what is wrong. */
const char *amount_read(const char **text, bool is_bytes, uint64_t *amount);

/* The same for text that must have nothing else. */
const char *amount_read_all(const char *text, bool is_bytes, uint64_t *amount);

/* Writes the amount so that amount_read gives it back, in the largest unit that it is a multiple of; text has
 * AMOUNT_SIZE bytes. */
#define AMOUNT_SIZE 32
void amount_write(char *text, uint64_t amount, bool is_bytes);

/* ---- The word that a mistyped one was meant to be. */

struct similar {
    const char *word; /* not known; length bytes of it */
    size_t length;
    const char *best; /* NULL: nothing tried is like it */
    size_t distance;
};

/* Letters that are missing, too many, others, or two in the wrong order: as many as a third of the word. */
void similar_try(struct similar *, const char *known);

/* ---- Patterns for names of C and C++ (wildcard.c).
 *
 * Not fnmatch: there brackets are sets, and "operator new[]" or "char[16]" would have to be quoted, and the
 * time of a bad pattern is exponential. */

/* Whether pattern is all of text: * stands for any characters, also none and also slashes, ? for one. "..."
 * is a star as well, because reports write it for the parts of a name that they leave out. */
bool wildcard_match(const char *pattern, const char *text);

/* The length of what every text that the pattern matches begins with. */
size_t wildcard_prefix(const char *pattern);

#endif
