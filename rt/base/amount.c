/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Amounts as people write them. */
#include "base/amount.h"

#include "base/out.h"

#include <stddef.h>
#include <string.h>

static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};

enum { UNITS = sizeof units / sizeof *units };

/* Decimals beyond so many are less than a byte in every unit. */
enum { DECIMALS = 15 };

struct number {
    uint64_t whole;
    uint64_t decimals, scale; /* decimals / scale is the part behind the point */
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
        return "has no digit behind the point";
    for (int count = 0; is_digit(**text); ++*text, count++)
        if (count < DECIMALS) {
            number->decimals = number->decimals * 10 + (uint64_t)(**text - '0');
            number->scale *= 10;
        }
    return NULL;
}

/* A word behind spaces that is no unit is left to the caller. */
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

static const char *scale(const struct number *number, int unit, uint64_t *amount) {
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
    return wrong ? wrong : scale(&number, unit < 0 ? 0 : unit, amount);
}

const char *amount_read_all(const char *text, bool is_bytes, uint64_t *amount) {
    const char *wrong = amount_read(&text, is_bytes, amount);
    return wrong ? wrong : *text ? "has something behind the number" : NULL;
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
