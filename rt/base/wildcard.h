/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Patterns for names of C and C++.
 *
 * Not fnmatch: there brackets are sets, and "operator new[]" or "char[16]" would have to be quoted, and the
 * time of a bad pattern is exponential. */
#ifndef ALLOCSITE_BASE_WILDCARD_H
#define ALLOCSITE_BASE_WILDCARD_H

#include <stdbool.h>

/* Whether pattern is all of text: * stands for any characters, also none and also slashes, ? for one. */
bool wildcard_match(const char *pattern, const char *text);

#endif
