/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from a file, in whatever form it is: a profile, or JSON; or from a process. */
#ifndef ALLOCSITE_DUMP_LOAD_SOURCE_H
#define ALLOCSITE_DUMP_LOAD_SOURCE_H

#include "dump/load/report_read.h"
#include "dump/profile/read.h"

struct report_source {
    struct report *report; /* not prepared; points into what follows */
    bool is_profile;
    bool is_memory; /* of a process, which has no file */
    union {
        struct report_file json;
        struct profile_file profile;
    };
};

/* Before the number of a process, in the place of a path: its profile if it writes one, else what stands in
 * its memory. */
#define REPORT_SOURCE_PID "pid:"

/* Whether the text is such a number. */
bool report_source_is_pid(const char *text, unsigned *pid);

/* path: "-" is standard input. report_source_free gives back what was read. False: *why says why, and nothing
 * is left to give back. */
bool report_source_load(struct report_source *, const char *path, struct reason *why);
void report_source_free(struct report_source *);

#endif
