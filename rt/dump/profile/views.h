/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The meaning of a profile's slots: their names, their counters, and what stands for sites, stacks and
 * phases. */
#ifndef ALLOCSITE_DUMP_PROFILE_VIEWS_H
#define ALLOCSITE_DUMP_PROFILE_VIEWS_H

#include "dump/base/hash_index.h"
#include "dump/profile/areas.h"
#include "model/counters.h"
#include "model/report.h"
#include "model/site.h"

/* ---- Names and inline chains of a profile. They are copied out, for the file may change while it is read.
 */

/* Longer chains are cut: nobody inlines through so many functions, but a damaged chain may be a circle. */
#define PROFILE_CHAIN_MAX 1000

struct profile_names {
    char *chunks[PROFILE_CHUNKS]; /* each ends with a NUL; NULL: not in the file */
    size_t sizes[PROFILE_CHUNKS]; /* without it */
    uint64_t wrong;               /* references that lead nowhere */
    struct number_map chains;     /* those that were read, by their frame */
    struct string_pool demangled;
    size_t places_left; /* so many may follow: chains that share frames could be far larger than their file */
};

void profile_names_read(struct profile_names *, const struct profile_areas *);
void profile_names_free(struct profile_names *);

/* NULL for 0, and for what leads nowhere, which is counted. */
const char *profile_name_at(struct profile_names *, profile_name);

/* An inline chain. It lives as long as the names. */
struct profile_chain {
    size_t count;
    struct place places[];
};

const struct profile_chain *profile_chain_read(struct profile_names *, profile_name frame);

/* ---- The modules that a profile names. */

/* Names are those of the profile. */
struct profile_modules {
    struct report_module *list;
    uint64_t *slots; /* of each, rising */
    size_t count, room, slot_room;
    struct report_module *sorted; /* each once */
    size_t sorted_count;
};

void profile_modules_read(struct profile_modules *, struct profile_names *, const struct profile_areas *);

void profile_modules_free(struct profile_modules *);

/* ---- The counters of a profile's slots, one slot after the other. */

/* Sums of what threads count. */
struct profile_flow {
    uint32_t block;
    struct flow sums;
};

/* What came in a block. */
struct profile_gain {
    uint32_t block;
    uint64_t blocks, bytes;
};

struct profile_active {
    const struct profile_span *span;
    struct profile_flow *flow; /* of its block */
};

/* Goes over the slots that some area knows, by rising number, in stretches that the same areas know. */
struct profile_sweep {
    const struct profile_areas *areas;
    struct profile_active *active; /* those that know the stretch */
    size_t active_count;
    size_t next; /* of areas->spans */
    uint64_t first, end;
    struct profile_flow
        *flows; /* by rising block, of all slots that were read; the one behind is for other blocks */
    size_t flow_count;
    struct flow before_reset;   /* of all slots that were read, in all blocks */
    bool wants_gains;           /* set by the caller once it is open */
    struct profile_gain *gains; /* of the slot that was read last, if they are wanted and in the totals */
    size_t gain_count, gain_room;
};

/* The counters from allocs to failed. Live blocks and bytes are what came less what went, modulo 2^64: blocks
 * may go elsewhere than they came. *contradict becomes true if another difference is below zero. */
void profile_flow_counters(struct counters *, const struct flow *, bool *contradict);

void profile_sweep_open(struct profile_sweep *, const struct profile_areas *);
void profile_sweep_close(struct profile_sweep *);

/* Goes on to the next stretch: slots first to end - 1. False: there is none. */
bool profile_sweep_next(struct profile_sweep *);

/* A program frees so many blocks of a slot while it is read only if the reader is kept waiting meanwhile:
 * reading takes microseconds. All of them would seem to live. */
enum { PROFILE_OUTRUN = 4096 };

struct profile_counts {
    struct counters counters;
    uint64_t lost_blocks, lost_bytes;
    struct profile_possibly_lost possibly_lost;
    bool contradict; /* a difference was below zero, or a sum too large, and became the nearest number */
    bool outrun;     /* more than PROFILE_OUTRUN blocks went while it was read */
};

/* Reads the counters of a slot of the stretch, in the order that makes sense of one that is being written
 * (profile.h), and adds them to the flows, so that these always sum up to what was read of the slots; but for
 * those that are not in the totals. */
void profile_slot_read(struct profile_counts *, struct profile_sweep *, uint64_t slot, bool is_in_totals);

/* ---- The meaning of a profile's slots: their records as rows of a report. */

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

/* Adds a stack of the row with that number, with its counters and lost blocks. */
void profile_stacks_add(struct profile_stacks *, const struct profile_views *, profile_name step,
                        const struct report_site *counted, size_t row);

/* Now that nothing moves any more: sets rows and frames. */
void profile_stacks_settle(struct profile_stacks *, struct report_site *rows);
void profile_stacks_free(struct profile_stacks *);

/* ---- What sites and their parts with stacks allocated in each phase, while the arrays of these grow. */

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
