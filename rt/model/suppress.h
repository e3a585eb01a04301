/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Leaks that somebody knows of, in the format of LeakSanitizer's suppressions: lines leak:PATTERN, and #
 * for comments. A pattern is a part of a name, * stands for any characters, ^ for its beginning and $ for its
 * end. */
#ifndef ALLOCSITE_MODEL_SUPPRESS_H
#define ALLOCSITE_MODEL_SUPPRESS_H

#include "model/report.h"

/* The first line that is neither that nor empty; NULL: none is. */
const char *suppress_wrong(const char *text);

/* Whether a line of the text matches function, file or module of the site, or of what it was inlined into or
 * called from. */
bool suppress_matches(const char *text, const struct report_site *);

#endif
