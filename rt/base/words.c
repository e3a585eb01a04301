/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers and words that people type. */
#include "base/words.h"

#include "base/out.h"

#include <stddef.h>
#include <string.h>

/* ---- Amounts. */

static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};

enum { UNITS = sizeof units / sizeof *units };

/* Further decimals are less than a byte in every unit. */
enum { DECIMALS = 15 };

struct number {
    uint64_t whole;
    uint64_t decimals, scale; /* decimals / scale: the fraction */
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *read_whole(const char **text, struct number *number) {
    if (!is_digit(**text))
        return "is not a number";
    for (; is_digit(**text); ++*text)
        if (__builtin_mul_overflow(number->whole, 10, &number->whole) ||
            __builtin_add_overflow(number->whole, (uint64_t)(**text - '0'), &number->whole))
            return "is too large";
    return NULL;
}

static const char *read_decimals(const char **text, struct number *number) {
    if (**text != '.')
        return NULL;
    if (!is_digit(*++*text))
        return "has no digit after the point";
    for (int count = 0; is_digit(**text); ++*text, count++)
        if (count < DECIMALS) {
            number->decimals = number->decimals * 10 + (uint64_t)(**text - '0');
            number->scale *= 10;
        }
    return NULL;
}

/* If a word after spaces is no unit, the caller parses it. */
static const char *read_unit(const char **text, int *unit) {
    const char *word = *text + strspn(*text, " \t");
    size_t length = 0;
    while (is_letter(word[length]))
        length++;
    for (*unit = UNITS - 1; *unit >= 0; --*unit)
        if (length == strlen(units[*unit]) && memcmp(word, units[*unit], length) == 0) {
            *text = word + length;
            return NULL;
        }
    return length && word == *text ? "has a unit that is not B, KiB, MiB, GiB or TiB" : NULL;
}

static const char *amount_scale(const struct number *number, int unit, uint64_t *amount) {
    unsigned shift = 10 * (unsigned)unit;
    if (number->whole > UINT64_MAX >> shift)
        return "is too large";
    *amount = number->whole << shift;
    *amount += (uint64_t)(((unsigned __int128)number->decimals << shift) / number->scale);
    return NULL;
}

const char *amount_read(const char **text, bool is_bytes, uint64_t *amount) {
    struct number number = {.scale = 1};
    int unit = -1;
    const char *wrong = read_whole(text, &number);
    if (!wrong && is_bytes && !(wrong = read_decimals(text, &number)))
        wrong = read_unit(text, &unit);
    if (!wrong && unit < 0 && number.scale > 1)
        wrong = "has decimals, but no unit";
    return wrong ? wrong : amount_scale(&number, unit < 0 ? 0 : unit, amount);
}

const char *amount_read_all(const char *text, bool is_bytes, uint64_t *amount) {
    const char *wrong = amount_read(&text, is_bytes, amount);
    return wrong ? wrong : *text ? "has more than a number" : NULL;
}

void amount_write(char *text, uint64_t amount, bool is_bytes) {
    int unit = 0;
    while (is_bytes && amount && unit + 1 < UNITS && amount % 1024 == 0) {
        amount /= 1024;
        unit++;
    }
    struct out out;
    out_open_memory(&out, text, AMOUNT_SIZE);
    out_u64(&out, amount);
    out_text(&out, unit ? units[unit] : "");
}

/* ---- Suggestions for mistyped words. */

enum { LENGTH_MOST = 31 };

static size_t least_of(size_t a, size_t b, size_t c) {
    size_t smaller = a < b ? a : b;
    return smaller < c ? smaller : c;
}

/* The Damerau-Levenshtein distance, without edits inside a transposition. */
static size_t edit_distance(const char *a, size_t length, const char *b, size_t other) {
    size_t rows[LENGTH_MOST + 1][LENGTH_MOST + 1];
    for (size_t i = 0; i <= length; i++)
        for (size_t j = 0; j <= other; j++) {
            if (!i || !j) {
                rows[i][j] = i + j;
                continue;
            }
            rows[i][j] =
                least_of(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                rows[i - 2][j - 2] < rows[i][j])
                rows[i][j] = rows[i - 2][j - 2] + 1;
        }
    return rows[length][other];
}

void similar_try(struct similar *similar, const char *known) {
    size_t length = strlen(known);
    if (similar->length > LENGTH_MOST || length > LENGTH_MOST)
        return;
    size_t away = edit_distance(similar->word, similar->length, known, length);
    if (away > (length + 2) / 3 || away >= length || (similar->best && away >= similar->distance))
        return;
    similar->best = known;
    similar->distance = away;
}
