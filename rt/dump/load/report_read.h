/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the JSON that the runtime wrote. The JSON may be damaged or hostile. */
#ifndef ALLOCSITE_DUMP_LOAD_REPORT_READ_H
#define ALLOCSITE_DUMP_LOAD_REPORT_READ_H

#include "dump/base/complain.h"
#include "model/report.h"

#include <jansson.h>

struct report_file {
    struct report report;     /* not prepared yet */
    struct counters not_told; /* not 0: the totals lack it, as a counter that its allocsite did not have */

    /* Memory that the report borrows from. */
    json_t *document;
    struct report_site *rows;
    struct report_site totals;
    struct report_site **by_id; /* the rows, by rising id */
    uint64_t (*sizes)[SIZE_CLASSES];
    struct place *places; /* of all inline chains */
    const char **reasons, **programs;
    uint64_t *reasons_hold;
    struct report_module *modules;
    struct report_frame *frames; /* of all stacks */
};

/* False: *why says why, and there is nothing to free. */
bool report_read(struct report_file *, const char *bytes, size_t size, struct reason *why);

void report_read_free(struct report_file *);

#endif
