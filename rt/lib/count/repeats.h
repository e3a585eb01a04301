/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Texts that a site has copied before: what strdup and strndup are called for again and again. */
#ifndef ALLOCSITE_LIB_COUNT_REPEATS_H
#define ALLOCSITE_LIB_COUNT_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

/* Set once by the options, before anything is counted. */
extern bool repeats_wanted __attribute__((visibility("hidden")));

/* False: no memory. */
bool repeats_begin(void);

/* The slot has copied the text. Safe in signal handlers and in all threads at once; keeps errno. */
void repeats_note(uint32_t slot, const char *text);

#endif
