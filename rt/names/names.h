/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Short names of functions and types, and numbers, for people. */
#ifndef ALLOCSITE_NAMES_NAMES_H
#define ALLOCSITE_NAMES_NAMES_H

#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum size of a shortened name including its NUL. */
#define NAME_SIZE 512

/* Shortens a demangled function to the qualified name that its programmer would write: without return type,
 * parameters, inline namespaces of libraries and default template arguments of the standard library. A name
 * wider than `columns` loses template arguments (<...>), then outer scopes (...::); the function's own name
 * remains. NULL becomes "?". Names of other languages are unchanged. */
void name_function(char text[NAME_SIZE], const char *function, size_t columns);

/* The same for a type, which keeps its scopes. Of more than three alternatives (A or B or C) the first three
 * are shown. */
void name_type(char text[NAME_SIZE], const char *type, size_t columns);

/* The same names without shortening to a width, and with all alternatives. size: of text; name_whole_size
 * suffices. */
size_t name_whole_size(const char *name);
void name_function_whole(char *text, size_t size, const char *function);
void name_type_whole(char *text, size_t size, const char *type);

/* True if, as far as names show, the function of a stack's first frame called the function that contains the
 * attributed allocator call. The latter then left its frame by a tail call. Names may be NULL. */
bool name_is_caller(const char *frame, const char *function, const char *callee);

/* ---- Numbers for people: sizes with units, shares, thousands (units.c). */

/* Large enough for each of them. */
#define UNITS_SIZE 32

/* "17 B", "1.5 KiB", "33.1 MiB" */
void units_size(char *text, uint64_t bytes);

/* "17 ns", "1.5 µs", "33.1 s" */
void units_time(char *text, uint64_t nanoseconds);

/* "1,234,567" */
void units_count(char *text, uint64_t count);

/* "12.3%"; "-" if the whole is 0. A part is never rounded up to 100.0%. */
void units_share(char *text, uint64_t part, uint64_t whole);

/* Like printf. Text of the program under observation must go through out_plain instead. */
__attribute__((format(printf, 2, 3))) void out_print(struct out *, const char *format, ...);

/* The numbers as arguments of out_print. Each use has its own buffer, which lives as long as the block. */
#define SIZE_TEXT(bytes)        units_text((char[UNITS_SIZE]){0}, bytes, units_size)
#define COUNT_TEXT(count)       units_text((char[UNITS_SIZE]){0}, count, units_count)
#define TIME_TEXT(time)         units_text((char[UNITS_SIZE]){0}, time, units_time)
#define SHARE_TEXT(part, whole) share_text((char[UNITS_SIZE]){0}, part, whole)

static inline const char *units_text(char *text, uint64_t number, void (*write)(char *, uint64_t)) {
    write(text, number);
    return text;
}

static inline const char *share_text(char *text, uint64_t part, uint64_t whole) {
    units_share(text, part, whole);
    return text;
}

#endif
