/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The meaning of a profile's slots: their records as rows of a report. */
#ifndef ALLOCSITE_DUMP_PROFILE_VIEWS_H
#define ALLOCSITE_DUMP_PROFILE_VIEWS_H

#include "dump/profile/names.h"
#include "model/report.h"

struct profile_views {
    const struct profile_areas *areas;
    struct profile_names *names;
    const struct profile_modules *modules;
};

struct profile_view {
    enum profile_what what;       /* PROFILE_UNUSED: it has no record that can be understood */
    struct profile_record record; /* of what it is a part of, if it is one */
    bool is_backing;
    profile_name stack; /* of a stack: struct profile_step, or 0 */
};

/* Follows a part to the site, the module or the caller that it is a part of in the end. */
void profile_view_find(struct profile_view *, const struct profile_views *, uint64_t slot);

/* The row of what was found. */
void profile_view_row(struct site_view *, const struct profile_views *, const struct profile_view *);

/* ---- The calling frames of a profile. */

/* Steps are shared, frames are not: behind so many of all stacks the others are cut. */
#define PROFILE_FRAMES_MAX ((size_t)1 << 22)
#define PROFILE_STEPS_MAX  256

struct profile_stacks {
    struct report_stack *list; /* their rows are not set yet, nor are the frames, which may still move */
    size_t *rows;              /* number of the row of each */
    struct report_frame *frames;
    size_t count, room, row_room, frame_count, frame_room;
    size_t cut;
};

/* Adds a stack, which has those counters, of the row with that number. */
void profile_stacks_add(struct profile_stacks *, const struct profile_views *, profile_name step,
                        const struct counters *, size_t row);

/* Now that nothing moves any more: sets rows and frames. */
void profile_stacks_settle(struct profile_stacks *, struct report_site *rows);
void profile_stacks_free(struct profile_stacks *);

#endif
