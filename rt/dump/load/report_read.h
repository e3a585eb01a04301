/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report from the JSON that the runtime wrote. The JSON may be damaged or hostile. */
#ifndef ALLOCSITE_DUMP_LOAD_REPORT_READ_H
#define ALLOCSITE_DUMP_LOAD_REPORT_READ_H

#include "dump/base/hash_index.h"
#include "dump/base/terminal.h"
#include "dump/profile/views.h"
#include "model/report.h"

struct report_file {
    struct report report;     /* not prepared yet */
    struct counters not_told; /* not 0: the totals lack it, as a counter that its allocsite did not have */

    /* Memory that the report borrows from. */
    struct json_document *document; /* without what was taken as it came */
    struct string_pool strings;     /* of that */
    struct report_site *rows;
    size_t row_room;
    struct report_site totals;
    struct report_site **by_id; /* the rows, by rising id */
    struct place *places;       /* of all inline chains */
    size_t place_count, place_room, pair_room;
    const char **reasons, **programs, **walked_for;
    uint64_t *reasons_hold;
    struct report_module *modules;
    struct report_frame *frames; /* of all stacks */
    size_t frame_count, frame_room, stack_room;
    struct profile_phases phases;
    struct report_part *parts;
    bool is_begun, is_sorted, has_modules;
};

/* False: *why says why, and there is nothing to free. */
bool report_read(struct report_file *, const char *bytes, size_t size, struct reason *why);

/* The same of what is read piece by piece: read writes up to size bytes and returns how many; 0: there are no
 * more; -1: *why says why. */
typedef ptrdiff_t report_read_some(void *context, char *bytes, size_t size, struct reason *why);
bool report_read_pieces(struct report_file *, report_read_some *, void *context, struct reason *why);

void report_read_free(struct report_file *);

#endif
