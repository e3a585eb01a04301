/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and files for people: one line, of bearable length. */
#ifndef ALLOCSITE_WRITE_NAMES_H
#define ALLOCSITE_WRITE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAME_SIZE 256

/* The function's name; when it is long, template arguments become <...> and what is longer still is cut. */
void name_function(char text[NAME_SIZE], const char *function);

/* ---- Numbers for people: sizes with units, shares, thousands. */

/* Long enough for each of them. */
#define UNITS_SIZE 32

/* "17 B", "1.5 KiB", "33.1 MiB" */
void units_size(char *text, uint64_t bytes);

/* "1,234,567" */
void units_count(char *text, uint64_t count);

/* "12.3%"; "-" if the whole is 0. A part that is not all is never shown as 100.0%. */
void units_share(char *text, uint64_t part, uint64_t whole);

#endif
