/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Formats numbers for people. */
#include "names/names.h"

#include "base/words.h"

#include <string.h>

static void finish(char *text, const char *digits, const char *end, const char *unit) {
    size_t length = (size_t)(end - digits);
    memcpy(text, digits, length);
    strcpy(text + length, unit);
}

/* Formats a number of tenths as "12.3" followed by the unit. */
static void tenths(char *text, uint64_t value, const char *unit) {
    char buffer[24], *end = buffer + sizeof buffer;
    end[-1] = (char)('0' + value % 10);
    end[-2] = '.';
    finish(text, digits_before(end - 2, value / 10, 10), end, unit);
}

void units_size(char *text, uint64_t bytes) {
    static const char *const units[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    char buffer[24], *end = buffer + sizeof buffer;
    if (bytes < 1024) {
        finish(text, digits_before(end, bytes, 10), end, " B");
        return;
    }
    uint64_t unit = 0;
    while (unit < 5 && bytes >> (10 * (unit + 2)))
        unit++;
    /* in steps of 1/1024 of the unit, so that nothing overflows */
    uint64_t scaled = bytes >> (10 * unit);
    tenths(text, (scaled >> 10) * 10 + ((scaled & 1023) * 10 + 512) / 1024, units[unit]);
}

void units_time(char *text, uint64_t nanoseconds) {
    static const char *const units[] = {" µs", " ms", " s"};
    char buffer[24], *end = buffer + sizeof buffer;
    if (nanoseconds < 1000) {
        finish(text, digits_before(end, nanoseconds, 10), end, " ns");
        return;
    }
    unsigned unit = 0;
    uint64_t tenth = 100;
    for (; unit < 2 && nanoseconds / tenth >= 10000; tenth *= 1000)
        unit++;
    tenths(text, nanoseconds / tenth, units[unit]);
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
