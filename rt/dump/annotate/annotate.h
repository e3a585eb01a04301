/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source with the allocations of its lines in the margin. */
#ifndef ALLOCSITE_DUMP_ANNOTATE_ANNOTATE_H
#define ALLOCSITE_DUMP_ANNOTATE_ANNOTATE_H

#include "base/out.h"
#include "group/groups.h"

/* A file and its allocating lines. */
struct annotated {
    const char *path;           /* as in the debug information */
    const struct group **lines; /* by ascending number, which may repeat */
    size_t count;
    uint64_t bytes;
    const struct annotated_site *sites; /* in the report's order */
    size_t site_count;
};

/* All zero, except for what the caller sets. */
struct annotations {
    const struct report *report; /* prepared, with all its sites */
    const char *directory;       /* directory to search for sources that are not at their path; NULL: none */
    uint64_t context;            /* lines shown around allocating ones */
    bool is_whole;               /* show all lines of a file */

    struct groups groups;
    const struct group **lines;   /* of all files */
    struct annotated_site *sites; /* of all files */
    struct annotated *files;      /* by descending allocations */
    size_t count;
};

void annotations_make(struct annotations *);
void annotations_free(struct annotations *);

/* True if the user's name is the path or its last components. */
bool annotated_is(const struct annotated *, const char *name);

void annotated_write(struct out *, const struct annotations *, const struct annotated *);

/* Writes "file:line:column: remark: ..." for each site of the file, in the style of compilers. */
void annotated_remarks(struct out *, const struct annotations *, const struct annotated *);

#endif
