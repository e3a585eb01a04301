/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of sites that the patterns of a budget are held against. Made once: a budget has many patterns,
 * and to reduce a demangled name takes longer than to match it. */
#ifndef ALLOCSITE_SUBJECT_H
#define ALLOCSITE_SUBJECT_H

#include "../lib/report.h"

struct subject {
    const struct report_site *site;
    char **names; /* functions, each whole and without return type, parameters and template arguments; then
                     clean paths of files; of the site and of what it is inlined into */
    size_t function_count, count;
    char *module; /* clean path; NULL: unknown */
};

struct subjects {
    const struct report *report;
    struct subject *list; /* of all sites that have counted, in the report's order */
    size_t count;
};

/* False: out of memory, and there is nothing to free. */
bool subjects_make(struct subjects *, const struct report *);
void subjects_free(struct subjects *);

/* For one site. */
bool subject_make(struct subject *, const struct report_site *);
void subject_free(struct subject *);

#endif
