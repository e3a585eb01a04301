/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The records of a profile's slots: names, counters, sites, stacks and phases. */
#ifndef ALLOCSITE_DUMP_PROFILE_VIEWS_H
#define ALLOCSITE_DUMP_PROFILE_VIEWS_H

#include "dump/base/hash_index.h"
#include "dump/profile/areas.h"
#include "model/counters.h"
#include "model/report.h"
#include "model/site.h"

/* ---- Names and inline chains. They are copied, because the file may change while it is read. */

/* Longer chains are cut. A damaged chain may be a cycle. */
#define PROFILE_CHAIN_MAX 1000

struct profile_names {
    char *chunks[PROFILE_CHUNKS]; /* each ends with a NUL; NULL: not in the file */
    size_t sizes[PROFILE_CHUNKS]; /* without the NUL */
    uint64_t wrong;               /* invalid references */
    struct number_map chains;     /* chains read so far, by frame */
    struct string_pool demangled;
    size_t places_left; /* remaining elements: chains that share frames could be far larger than their file */
};

void profile_names_read(struct profile_names *, const struct profile_areas *);
void profile_names_free(struct profile_names *);

/* NULL for 0 and for an invalid reference, which is counted. */
const char *profile_name_at(struct profile_names *, profile_name);

/* An inline chain. It lives as long as the names. */
struct profile_chain {
    size_t count;
    struct place places[];
};

const struct profile_chain *profile_chain_read(struct profile_names *, profile_name frame);

/* ---- The modules that a profile names. */

/* Strings belong to the profile's names. */
struct profile_modules {
    struct report_module *list;
    uint64_t *slots; /* of each, ascending */
    size_t count, capacity, slot_capacity;
    struct report_module *sorted; /* each module once */
    size_t sorted_count;
};

void profile_modules_read(struct profile_modules *, struct profile_names *, const struct profile_areas *);

void profile_modules_free(struct profile_modules *);

/* ---- The counters of slots, read in ascending order of slots. */

/* Sums of the counters of a block. */
struct profile_flow {
    uint32_t block;
    struct flow sums;
};

/* Allocations counted in a block. */
struct profile_gain {
    uint32_t block;
    uint64_t blocks, bytes;
};

struct profile_active {
    const struct profile_span *span;
    struct profile_flow *flow; /* of its block */
};

/* Iterates over all slots in ascending order, in ranges of slots that have the same areas. */
struct profile_sweep {
    const struct profile_areas *areas;
    struct profile_active *active; /* the areas of the current range */
    size_t active_count;
    size_t next; /* index in areas->spans */
    uint64_t first, end;
    struct profile_flow
        *flows; /* by ascending block, sums over all slots read so far; one extra entry for unknown blocks */
    size_t flow_count;
    struct flow before_reset;   /* sums over all slots read so far, in all blocks */
    bool wants_gains;           /* set by the caller after opening */
    struct profile_gain *gains; /* of the last slot read, if wanted and part of the totals */
    size_t gain_count, gain_capacity;
};

/* Computes the counters from allocs to failed. Live blocks and bytes are allocated minus released, modulo
 * 2^64, because another thread may release what one allocated. *contradict becomes true if another difference
 * is negative. */
void profile_flow_counters(struct counters *, const struct flow *, bool *contradict);

void profile_sweep_open(struct profile_sweep *, const struct profile_areas *);
void profile_sweep_close(struct profile_sweep *);

/* Moves to the next range, slots first to end - 1. False: there is none. */
bool profile_sweep_next(struct profile_sweep *);

/* The largest number of blocks that can be released while their slot is read. Such blocks appear as live.
 * Reading takes microseconds, so more means that the reader was interrupted. */
enum { PROFILE_OUTRUN = 4096 };

struct profile_counts {
    struct counters counters;
    bool contradict; /* a difference was negative or a sum too large, and was clamped */
    bool outrun;     /* more than PROFILE_OUTRUN blocks were released while it was read */
};

/* Reads the counters of a slot in the current range, in the order that keeps a changing slot consistent
 * (profile.h). Adds them to the flows, which therefore equal the sums over the slots read, unless the slot is
 * not part of the totals. */
void profile_slot_read(struct profile_counts *, struct profile_sweep *, uint64_t slot, bool is_in_totals);

/* ---- Records as rows of a report. */

struct profile_views {
    const struct profile_areas *areas;
    struct profile_names *names;
    const struct profile_modules *modules;
};

struct profile_view {
    enum profile_what what;       /* PROFILE_UNUSED: no valid record */
    struct profile_record record; /* of the slot that this slot is a part of, if it is one */
    bool is_outside_totals;       /* in no total: chunks of a custom allocator, or mappings */
    bool is_mapping;
    profile_name stack; /* of a stack: struct profile_step, or 0 */
};

/* Follows a part to the site, module or caller that it belongs to. */
void profile_view_find(struct profile_view *, const struct profile_views *, uint64_t slot);

/* Fills the row for a record. */
void profile_view_row(struct site_view *, const struct profile_views *, const struct profile_view *);

/* ---- The calling frames of a profile. */

/* Frame links are shared, frames are not, so their total number is limited. Further stacks are cut. */
#define PROFILE_FRAMES_MAX ((size_t)1 << 22)
#define PROFILE_STEPS_MAX  256

struct profile_stacks {
    struct report_stack *list; /* rows and frames are set when they no longer move */
    size_t *rows;              /* index of each stack's row */
    struct report_frame *frames;
    size_t count, capacity, row_capacity, frame_count, frame_capacity;
    size_t cut;
};

/* Adds a stack with its counters and leaked blocks to a row. */
void profile_stacks_add(struct profile_stacks *, const struct profile_views *, profile_name step,
                        const struct report_site *counted, size_t row);

/* Sets rows and frames when they no longer move. */
void profile_stacks_settle(struct profile_stacks *, struct report_site *rows);

/* Adds the frames of the signal that ended the process, and gives them to the report. Called after all stacks
 * were added and before profile_stacks_settle. */
void profile_stacks_end(struct profile_stacks *, const struct profile_views *, profile_name step,
                        struct report_run *);
void profile_stacks_free(struct profile_stacks *);

/* ---- Allocations of sites and stacks in each phase, collected while the arrays of sites and stacks grow. */

struct profile_phases {
    struct report_phase *list; /* sites and stacks are not set yet */
    struct profile_phase_place {
        size_t row, stack; /* indices; SIZE_MAX: none */
    } * places;
    size_t count, capacity, place_capacity;
    bool has_threads; /* wanted and several */
    struct string_pool labels;
};

/* For profiles that are read from now on: also enters each thread as if it were a phase, and names them
 * "thread 1 of process 23" and "phase parsing". Merged profiles have no threads. */
void profile_threads_are_phases(bool);

/* Makes the sweep, which must be at its beginning, record the allocations of each block, if there are phases
 * and no reset makes the blocks exceed the report. */
void profile_phases_want(struct profile_phases *, struct profile_sweep *);

/* Adds the recorded allocations of the last slot read. */
void profile_phases_add(struct profile_phases *, const struct profile_sweep *, struct profile_names *,
                        size_t row, size_t stack);

/* Sets sites and stacks when they no longer move. */
void profile_phases_settle(struct profile_phases *, struct report_site *rows, struct report_stack *stacks);
void profile_phases_free(struct profile_phases *);

#endif
