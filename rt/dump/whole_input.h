/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All bytes of a file or pipe. */
#ifndef ALLOCSITE_WHOLE_INPUT_H
#define ALLOCSITE_WHOLE_INPUT_H

#include "reason.h"

#include <stddef.h>

/* Larger ones are refused, so that an endless one does not take all memory. */
#define WHOLE_INPUT_MAX ((size_t)1 << 30)

/* Reads the file, or standard input if path is "-". The caller frees *bytes. False: *why says why. */
bool whole_input(const char *path, char **bytes, size_t *size, struct reason *why);

#endif
