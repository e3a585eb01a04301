/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The source with what its lines allocate in the margin. */
#ifndef ALLOCSITE_DUMP_ANNOTATE_ANNOTATE_H
#define ALLOCSITE_DUMP_ANNOTATE_ANNOTATE_H

#include "base/out.h"
#include "group/groups.h"

/* The lines of a file that allocate. */
struct annotated {
    const char *path;           /* as the debug information has it */
    const struct group **lines; /* by rising number; the same number can stand here twice */
    size_t count;
    uint64_t bytes;
    const struct annotated_site *sites; /* in the report's order */
    size_t site_count;
};

/* All zero, but for what the caller sets. */
struct annotations {
    const struct report *report; /* prepared, with all its sites */
    const char *directory; /* where sources are looked for if they are not at their path; NULL: nowhere */
    uint64_t context;      /* lines around those that allocate */
    bool is_whole;         /* all lines of a file are shown */

    struct groups groups;
    const struct group **lines;   /* of all files */
    struct annotated_site *sites; /* likewise */
    struct annotated *files;      /* what allocates most comes first */
    size_t count;
};

void annotations_make(struct annotations *);
void annotations_free(struct annotations *);

/* Whether it is the file that a user names: by its path, or by the end of it. */
bool annotated_is(const struct annotated *, const char *name);

void annotated_write(struct out *, const struct annotations *, const struct annotated *);

/* "file:line:column: remark: ..." for each site of the file, as compilers write it. */
void annotated_remarks(struct out *, const struct annotations *, const struct annotated *);

#endif
