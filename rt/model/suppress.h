/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Known leaks in the format of LeakSanitizer's suppressions: lines "leak:PATTERN", and # for comments. A
 * pattern matches a part of a name; * stands for any characters, ^ for the beginning and $ for the end. */
#ifndef ALLOCSITE_MODEL_SUPPRESS_H
#define ALLOCSITE_MODEL_SUPPRESS_H

#include "model/report.h"

/* The first line that is not empty and not in the format; NULL: none. */
const char *suppress_wrong(const char *text);

/* True if a line of the text matches the function, file or module of the site, of its inline chain or of its
 * callers. */
bool suppress_matches(const char *text, const struct report_site *);

#endif
