/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line on standard error about what a command does once it has taken a second, if that is a terminal. It is
 * gone before anything is complained about or written to standard output. */
#ifndef ALLOCSITE_DUMP_BASE_PROGRESS_H
#define ALLOCSITE_DUMP_BASE_PROGRESS_H

#include <stdint.h>

/* "1,234 of 5,678 files". count: 0 if it is not known. A call costs a look at the clock. */
void progress(const char *what, uint64_t done, uint64_t count);

/* Clears the line; the next one comes after a second more. */
void progress_end(void);

/* Nothing is shown from here on: somebody else has the terminal. */
void progress_off(void);

#endif
