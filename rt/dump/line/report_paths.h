/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The call paths of a report's stacks for formats that programs read. */
#ifndef ALLOCSITE_DUMP_LINE_REPORT_PATHS_H
#define ALLOCSITE_DUMP_LINE_REPORT_PATHS_H

#include "dump/line/chooser.h"
#include "model/report.h"

struct line_paths {
    struct report_paths paths; /* for the report */
    struct line_chooser chooser;
    struct report_call calls[CALL_PATH_MAX];
};

/* Returns the paths of a report whose addresses the symbolizer has looked up; to be given to line_paths_free.
 */
struct line_paths *line_paths_make(struct symbolizer *, const struct report *);
void line_paths_free(struct line_paths *);

#endif
