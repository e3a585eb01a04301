/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Amounts as people write them. */
#ifndef ALLOCSITE_BASE_AMOUNT_H
#define ALLOCSITE_BASE_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
