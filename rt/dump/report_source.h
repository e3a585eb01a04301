/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from a file, in whatever form it is: a profile, or JSON. */
#ifndef ALLOCSITE_REPORT_SOURCE_H
#define ALLOCSITE_REPORT_SOURCE_H

#include "profile_read.h"
#include "report_read.h"

struct report_source {
    struct report *report; /* not prepared; points into what follows */
    bool is_profile;
    union {
        struct report_file json;
        struct profile_file profile;
    };
};

/* path: "-" is standard input. report_source_free gives back what was read. False: *why says why, and nothing
 * is left to give back. */
bool report_source_load(struct report_source *, const char *path, struct reason *why);
void report_source_free(struct report_source *);

#endif
