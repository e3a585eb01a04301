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

const struct report_site *annotated_site(const struct annotated *, size_t index);

void annotated_write(struct out *, const struct annotations *, const struct annotated *);

/* "file:line:column: remark: ..." for each site of the file, as compilers write it. */
void annotated_remarks(struct out *, const struct annotations *, const struct annotated *);

/* ---- The text of a file. */

struct source_text {
    char *bytes;     /* NULL: it was not found */
    size_t size, at; /* at: of the next line */
    bool is_newer;   /* than the run of the program */
};

/* directory: if it is not at its path, it is looked for below, by ever fewer of the path's folders. */
void source_text_open(struct source_text *, const char *path, const char *directory, uint64_t begun);
void source_text_close(struct source_text *);

/* The next line without its end. False: there is none. */
bool source_text_next(struct source_text *, const char **line, size_t *length);

#endif
