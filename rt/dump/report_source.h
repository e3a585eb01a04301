/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from a file, in whatever form it is: a profile, or JSON. */
#ifndef ALLOCSITE_REPORT_SOURCE_H
#define ALLOCSITE_REPORT_SOURCE_H

#include "report_read.h"

struct report_source {
    struct report *report; /* not prepared; points into what follows */
    struct report_file file;
};

/* path: "-" is standard input. report_source_free gives back what was read. False: *why says why, and nothing
 * is left to give back. */
bool report_source_load(struct report_source *, const char *path, struct reason *why);
void report_source_free(struct report_source *);

#endif
