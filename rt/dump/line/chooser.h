/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The choice of the line of one call path: the innermost call that is neither in a library nor in a
 * pass-through function (pass_through.h) and has a line in its source. If no such call has a line, it is the
 * innermost one without; if there is none either, the outermost one that is not in a library. */
#ifndef ALLOCSITE_DUMP_LINE_CHOOSER_H
#define ALLOCSITE_DUMP_LINE_CHOOSER_H

#include "dump/base/hash_index.h"
#include "dump/line/call_path.h"

struct line_chooser {
    struct symbolizer *symbolizer; /* has looked up the addresses of the report */
    struct number_map known;       /* flags of places, by the pointers to their texts */
    struct number_map types;       /* the types of calls, as addresses, likewise */
    struct call_path path;         /* the last one taken */
};

/* Reads the tables of the report's modules that the symbolizer has not read yet. */
void line_chooser_begin(struct line_chooser *, struct symbolizer *, const struct report *);
void line_chooser_end(struct line_chooser *);

/* Makes the path of a stack of the site; stack NULL: the site's own places alone. Sets count to the number of
 * its places, and returns the number of the chosen one: count if all are in libraries. */
size_t line_chooser_take(struct line_chooser *, const struct site_view *, const struct report_stack *,
                         size_t *count);

/* The flags of a place of the path (pass_through.h). */
unsigned line_chooser_flags(struct line_chooser *, const struct path_place *);

/* Returns the type of the allocation whose path was taken: the site's own or, while nothing better than raw
 * memory is known and functions hand the block on, that of the next call outwards. NULL: unknown. Where the
 * user has the line of the site, its type is the site's alone. */
const char *line_chooser_type(struct line_chooser *, const struct site_view *);

/* Returns the number of the first place from `from` on that has a function and none of the flags; count if
 * there is none. */
size_t line_chooser_next(struct line_chooser *, size_t from, size_t count, unsigned flags);

/* ---- The paths of a report's stacks for formats that programs read. */

struct line_paths {
    struct report_paths paths; /* for the report */
    struct line_chooser chooser;
    struct report_call calls[CALL_PATH_MAX];
};

/* Returns the paths of a report whose addresses the symbolizer has looked up; to be given to line_paths_free,
 * which may be NULL. */
struct line_paths *line_paths_make(struct symbolizer *, const struct report *);
void line_paths_free(struct line_paths *);

#endif
