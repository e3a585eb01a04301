/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and files for people. */
#include "write/names.h"

#include "base/out.h"

#include <string.h>

#define NAME_COLUMNS 72

struct name {
    char *text;
    size_t used;
    size_t columns; /* characters so far */
    int cut;
};

/* One character, of any number of bytes; a control character or a stray byte becomes a question mark. */
static size_t put_character(struct name *name, const char *at) {
    size_t length = utf8_length(at);
    const char *shown = length == 0 || (unsigned char)*at < 0x20 || *at == 0x7F ? "?" : at;
    size_t size = shown == at ? length : 1;
    if (name->columns >= NAME_COLUMNS - 3 || name->used + size + 4 > NAME_SIZE) {
        name->cut = 1;
    } else {
        memcpy(name->text + name->used, shown, size);
        name->used += size;
        name->columns++;
    }
    return length ? length : 1;
}

static void put_text(struct name *name, const char *text) {
    while (*text)
        text += put_character(name, text);
}

/* Length of "operator<<" and the like, whose angle brackets open nothing; 0: not here. */
static size_t operator_length(const char *at) {
    static const char word[] = "operator";
    if (strncmp(at, word, sizeof word - 1) != 0)
        return 0;
    size_t symbol = strspn(at + sizeof word - 1, "<>-=");
    return symbol ? sizeof word - 1 + symbol : 0;
}

static void put_without_arguments(struct name *name, const char *at) {
    int depth = 0;
    while (*at) {
        size_t skip = operator_length(at);
        if (!skip && *at == '<' && depth++ == 0)
            put_text(name, "<...>");
        if (depth == 0)
            for (const char *end = at + (skip ? skip : 1); at < end;)
                at += put_character(name, at);
        else {
            depth -= !skip && *at == '>' && at[-1] != '-';
            at += skip ? skip : 1;
        }
    }
}

void name_function(char text[NAME_SIZE], const char *function) {
    struct name name = {.text = text};
    if (!function)
        function = "?";
    if (strlen(function) < NAME_COLUMNS - 3)
        put_text(&name, function);
    else
        put_without_arguments(&name, function);
    strcpy(text + name.used, name.cut ? "..." : "");
}

/* ---- Numbers for people. */

/* Writes the digits that end before `end`, and returns where they start. */
static char *digits_before(char *end, uint64_t value) {
    do
        *--end = (char)('0' + value % 10);
    while (value /= 10);
    return end;
}

static void finish(char *text, const char *digits, const char *end, const char *unit) {
    size_t length = (size_t)(end - digits);
    memcpy(text, digits, length);
    strcpy(text + length, unit);
}

/* tenths as "12.3" and the unit */
static void tenths(char *text, uint64_t value, const char *unit) {
    char buffer[24], *end = buffer + sizeof buffer;
    end[-1] = (char)('0' + value % 10);
    end[-2] = '.';
    finish(text, digits_before(end - 2, value / 10), end, unit);
}

void units_size(char *text, uint64_t bytes) {
    static const char *const units[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    char buffer[24], *end = buffer + sizeof buffer;
    if (bytes < 1024) {
        finish(text, digits_before(end, bytes), end, " B");
        return;
    }
    uint64_t unit = 0;
    while (unit < 5 && bytes >> (10 * (unit + 2)))
        unit++;
    /* In steps of 1/1024 of the unit, so that nothing overflows. */
    uint64_t scaled = bytes >> (10 * unit);
    tenths(text, (scaled >> 10) * 10 + ((scaled & 1023) * 10 + 512) / 1024, units[unit]);
}

void units_count(char *text, uint64_t count) {
    char buffer[UNITS_SIZE], *at = buffer + sizeof buffer;
    for (int digit = 0; count || digit == 0; digit++, count /= 10) {
        if (digit && digit % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + count % 10);
    }
    finish(text, at, buffer + sizeof buffer, "");
}

void units_share(char *text, uint64_t part, uint64_t whole) {
    if (whole == 0) {
        strcpy(text, "-");
        return;
    }
    uint64_t per_mille = (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole);
    if (per_mille == 1000 && part < whole)
        per_mille = 999;
    tenths(text, per_mille, "%");
}
