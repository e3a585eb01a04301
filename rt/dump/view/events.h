/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each line does to the heap: it allocates, reallocates or frees, and whose blocks these were. Of a
 * prepared report with pairs that shows all. */
#ifndef ALLOCSITE_DUMP_VIEW_EVENTS_H
#define ALLOCSITE_DUMP_VIEW_EVENTS_H

#include "base/out.h"
#include "model/report.h"

/* filter: lines and owners that match, "": all. is_leaks: only the summary, of lines with live blocks. */
void events_json(struct out *, const struct report *, const char *filter, bool is_leaks);
void events_write(struct out *, const struct report *, const char *filter, bool is_leaks, bool is_markdown);

#endif
