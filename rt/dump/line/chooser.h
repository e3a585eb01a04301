/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chooses the line of one call path: the innermost call that has a line in its source and is neither in a
 * library nor in a pass-through function (pass_through.h). If there is none, it is the innermost call without
 * a line that is in neither. If there is none either, it is the outermost call that is not in a library. */
#ifndef ALLOCSITE_DUMP_LINE_CHOOSER_H
#define ALLOCSITE_DUMP_LINE_CHOOSER_H

#include "dump/base/hash_index.h"
#include "dump/line/call_path.h"

struct line_chooser {
    struct symbolizer *symbolizer; /* has looked up the addresses of the report */
    struct number_map known;       /* flags of places, by the addresses of their strings */
    struct number_map types;       /* types of calls (addresses), with the same keys */
    struct call_path path;         /* the current path */
};

/* Reads the tables of the report's modules that the symbolizer has not read yet. */
void line_chooser_begin(struct line_chooser *, struct symbolizer *, const struct report *);
void line_chooser_end(struct line_chooser *);

/* Makes the path of a stack of the site; stack NULL: only the site's own places. Sets count to the number of
 * places. Returns the index of the chosen place; count if all are in libraries. */
size_t line_chooser_take(struct line_chooser *, const struct site_view *, const struct report_stack *,
                         size_t *count);

/* Returns the type of the current path's allocation; NULL: unknown. If the site's type is raw memory and
 * functions return the block to their callers, this is the type that the nearest caller knows. The option
 * line=site keeps a known type of the site. */
const char *line_chooser_type(struct line_chooser *, const struct site_view *);

/* Returns the first place, beginning at `from`, that has a function and none of the flags; count if there is
 * none. */
size_t line_chooser_next(struct line_chooser *, size_t from, size_t count, unsigned flags);

/* ---- The paths of a report's stacks for formats that programs read. */

struct line_paths {
    struct report_paths paths; /* passed to the report */
    struct line_chooser chooser;
    struct report_call calls[CALL_PATH_MAX];
};

/* Returns the paths of a report. The symbolizer must have looked up the report's addresses. Free the result
 * with line_paths_free, which accepts NULL. */
struct line_paths *line_paths_make(struct symbolizer *, const struct report *);
void line_paths_free(struct line_paths *);

#endif
