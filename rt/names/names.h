/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and files for people: one line, of bearable length. */
#ifndef ALLOCSITE_NAMES_NAMES_H
#define ALLOCSITE_NAMES_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that a shortened name has at most, its NUL included. */
#define NAME_SIZE 512

/* Shortens a demangled function to the qualified name that its programmer would write: without return type,
 * parameters, inline namespaces of libraries and default template arguments of the standard library. A name
 * that is wider than so many columns loses template arguments (<...>), then outer scopes (...::); the
 * function's own name stays whole. NULL is "?". Names of other languages stay as they are. */
void name_function(char text[NAME_SIZE], const char *function, size_t columns);

/* The same of a type, which keeps its scopes. Of more than three types (A or B or C) the first three. */
void name_type(char text[NAME_SIZE], const char *type, size_t columns);

/* The same names with nothing left out to shorten them, all types included. size: of text, of which
 * name_whole_size is enough. */
size_t name_whole_size(const char *name);
void name_function_whole(char *text, size_t size, const char *function);
void name_type_whole(char *text, size_t size, const char *type);

/* Whether the function of a stack's first frame called the one whose call of that allocator is billed: as
 * surely as names tell. For that has left by a tail call, and no frame of it is there. Names may be NULL. */
bool name_is_caller(const char *frame, const char *function, const char *callee);

/* ---- Numbers for people: sizes with units, shares, thousands (units.c). */

/* Long enough for each of them. */
#define UNITS_SIZE 32

/* "17 B", "1.5 KiB", "33.1 MiB" */
void units_size(char *text, uint64_t bytes);

/* "17 ns", "1.5 µs", "33.1 s" */
void units_time(char *text, uint64_t nanoseconds);

/* "1,234,567" */
void units_count(char *text, uint64_t count);

/* "12.3%"; "-" if the whole is 0. A part that is not all is never shown as 100.0%. */
void units_share(char *text, uint64_t part, uint64_t whole);

#endif
