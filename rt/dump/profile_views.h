/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the slots of a profile stand for: their records as rows of a report. */
#ifndef ALLOCSITE_PROFILE_VIEWS_H
#define ALLOCSITE_PROFILE_VIEWS_H

#include "../lib/report.h"
#include "profile_modules.h"

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

/* The row of what was found; its inline chain, inlined_count places, begins at place *first_place of the
 * names, for these may still move. False: out of memory. */
bool profile_view_row(struct site_view *, size_t *first_place, const struct profile_views *,
                      const struct profile_view *);

#endif
