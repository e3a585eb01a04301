/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What sites and their parts with stacks allocated in each phase, while the arrays of these grow. In a
 * profile threads count slots of a phase in areas of its own, so the numbers are there; nobody needs them but
 * who tells phases apart by site. */
#ifndef ALLOCSITE_DUMP_PROFILE_PHASES_H
#define ALLOCSITE_DUMP_PROFILE_PHASES_H

#include "dump/profile/names.h"
#include "dump/profile/slots.h"
#include "model/report.h"

struct profile_phases {
    struct report_phase *list; /* their sites and stacks are not set yet */
    struct profile_phase_place {
        size_t row, stack; /* numbers; SIZE_MAX: none */
    } * places;
    size_t count, room, place_room;
};

/* Has the sweep, which is at its beginning, keep what came in each block; if there are phases, and no reset
 * has made the blocks have more than the report. */
void profile_phases_want(struct profile_sweep *);

void profile_phases_put(struct profile_phases *, const struct report_phase *, size_t row, size_t stack);

/* Adds what the sweep has kept of the slot that was read last. */
void profile_phases_add(struct profile_phases *, const struct profile_sweep *, struct profile_names *,
                        size_t row, size_t stack);

/* Now that nothing moves any more. */
void profile_phases_settle(struct profile_phases *, struct report_site *rows, struct report_stack *stacks);
void profile_phases_free(struct profile_phases *);

#endif
