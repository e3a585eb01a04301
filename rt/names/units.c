/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Formats numbers for people. */
#include "names/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Formats a number of tenths as "12.3" followed by the unit. */
static void units_tenths(char *text, uint64_t value, const char *unit) {
    snprintf(text, UNITS_SIZE, "%lu.%lu%s", value / 10, value % 10, unit);
}

void units_size(char *text, uint64_t bytes) {
    static const char *const units[] = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
    uint64_t unit = 0;
    if (bytes < 1024) {
        snprintf(text, UNITS_SIZE, "%lu B", bytes);
        return;
    }
    while (unit < 5 && bytes >> (10 * (unit + 2)))
        unit++;
    /* in steps of 1/1024 of the unit, so that nothing overflows */
    uint64_t scaled = bytes >> (10 * unit);
    units_tenths(text, (scaled >> 10) * 10 + ((scaled & 1023) * 10 + 512) / 1024, units[unit]);
}

void units_time(char *text, uint64_t nanoseconds) {
    static const char *const units[] = {" µs", " ms", " s"};
    unsigned unit = 0;
    uint64_t tenth = 100;
    if (nanoseconds < 1000) {
        snprintf(text, UNITS_SIZE, "%lu ns", nanoseconds);
        return;
    }
    for (; unit < 2 && nanoseconds / tenth >= 10000; tenth *= 1000)
        unit++;
    units_tenths(text, nanoseconds / tenth, units[unit]);
}

void units_count(char *text, uint64_t count) {
    char buffer[UNITS_SIZE], *at = buffer + sizeof buffer - 1;
    *at = '\0';
    for (int digit = 0; count || digit == 0; digit++, count /= 10) {
        if (digit && digit % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + count % 10);
    }
    strcpy(text, at);
}

void units_share(char *text, uint64_t part, uint64_t whole) {
    if (whole == 0) {
        strcpy(text, "-");
        return;
    }
    uint64_t per_mille = (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole);
    if (per_mille == 1000 && part < whole)
        per_mille = 999;
    units_tenths(text, per_mille, "%");
}

void out_print(struct out *out, const char *format, ...) {
    char text[256], *longer = NULL;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length >= (int)sizeof text && vasprintf(&longer, format, again) < 0)
        longer = NULL;
    va_end(again);
    va_end(arguments);
    out_text(out, longer ? longer : text);
    free(longer);
}
