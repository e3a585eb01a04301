/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers for people: sizes with units, shares, thousands. */
#ifndef ALLOCSITE_NAMES_UNITS_H
#define ALLOCSITE_NAMES_UNITS_H

#include <stdint.h>

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
