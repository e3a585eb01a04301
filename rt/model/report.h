/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report: what each site counted, ready to be written. Pure: the runtime fills it from its slabs,
 * a reader may fill it from elsewhere. */
#ifndef ALLOCSITE_MODEL_REPORT_H
#define ALLOCSITE_MODEL_REPORT_H

#include "model/counters.h"
#include "model/options.h"
#include "model/site.h"
#include "profile.h"

/* profile.h has the rule for changes. */
#define REPORT_JSON_VERSION 1

struct report_site {
    struct site_view view;
    struct counters counters;
    uint64_t *sizes; /* SIZE_CLASSES counts of requested sizes, merged in place; NULL: not counted */
    union lifetimes *lifetimes;       /* likewise */
    uint64_t lost_blocks, lost_bytes; /* of the live ones; if the report has reach */
    /* Of the live ones, too: only memory points to them that the program mapped itself. */
    uint64_t possibly_lost_blocks, possibly_lost_bytes;
    bool shares_id;  /* with another site: pairs that name it may be that one's */
    const char *way; /* functions, "main;load;parse", of a row that has what came by it (view/tree.h of the
                        reader) and main_stack alone; NULL: of a whole site */
    bool shares_way; /* with another such row of the site: lines tell them apart */

    /* Set by report_prepare. */
    struct report_site *merged;            /* the row that stands for this one: itself or its namesake */
    size_t position;                       /* among the report's sites */
    size_t first_pair, pair_count;         /* the ordinary pairs that this site owns */
    bool is_named;                         /* by a pair that is shown or by a fault */
    const struct report_stack *main_stack; /* of its stacks the one with the most bytes; NULL: it has none */
    size_t first_caller, caller_count;     /* among the report's; none: lines were not chosen */
    const struct place *shared_callers;    /* the callers of all stacks, below those */
    size_t shared_caller_count;
    uint64_t single_stacks; /* of its stacks those that never had two blocks at once */
};

/* A module that addresses are of. */
struct report_module {
    const char *path;
    const char *build_id; /* hexadecimal digits; NULL: it has none, or it is not known */
};

/* A calling frame. */
struct report_frame {
    const struct report_module *module; /* NULL: not known */
    uint64_t address;                   /* where the call returns to, as the module's ELF file has it */
    const char *function;               /* that has the address; NULL: not known */
    const char *file;                   /* of the call in that; NULL: not known */
    uint32_t line;                      /* 0: not known */
    uint32_t place_count;
    const struct place *places; /* of the call and of the calls that it was inlined into, as the symbolizer
                                   knows them, which owns them */
};

/* The outermost frame of a cut path (PROFILE_CUT), and the name that it is shown by. */
#define REPORT_CUT "(cut)"
static inline bool report_is_cut(const struct report_frame *frame) {
    return !frame->module && frame->address == PROFILE_CUT;
}

/* Callers of a stack that are looked at for where the stacks of a row part. */
enum { STACK_CALLERS = 4 };

/* Live blocks that nothing points to, and those that only memory points to which the program mapped. */
struct report_lost {
    uint64_t blocks, bytes, possibly_blocks, possibly_bytes;
};

/* The part of a site that was called from one stack. The site's own counters have it too. */
struct report_stack {
    struct report_site *site;
    struct report_frame *frames; /* innermost first; the first one is in the function that calls */
    size_t frame_count;
    struct counters counters;
    struct report_lost lost;        /* with reach; the site has it too */
    const struct site_view *origin; /* where it was counted; NULL: at its site */
    const struct place *callers; /* the calls of the function with the site's line, of that caller and so on,
                                    each place once, at most STACK_CALLERS; borrowed */
    size_t caller_count;         /* 0: none is known */

    /* Set by report_prepare. */
    size_t number; /* among the stacks of sites that programs are given */
};

/* A call on the path of a stack, inlined ones included. */
struct report_call {
    struct place at;
    const char *module;  /* NULL: not known */
    uint64_t address;    /* of the code that contains it, as in struct report_frame; 0: not known */
    bool is_inlined;     /* into the next one */
    bool passes_through; /* it is in a library or in a pass-through function */
};

/* Makes the paths of stacks when they are written: all at once would take much more memory than their frames.
 */
struct report_paths {
    /* Returns the calls of a stack, the allocator's first, and the number of the one whose line was chosen.
     * They are valid until the next call. */
    const struct report_call *(*take)(struct report_paths *, const struct report_stack *, size_t *count,
                                      size_t *line);
};

/* A caller of a row's function, or of the last caller that all stacks of the row share, and its part of the
 * row. */
struct report_caller {
    const struct report_site *site;
    const struct place *at; /* NULL: not known */
    uint64_t calls, bytes;  /* allocations and reallocations */
};

/* What of a site, or of a part of it that was called from one stack, came in a phase. */
struct report_phase {
    const struct report_site *site;
    const struct report_stack *stack; /* NULL: the part of which no stack was kept */
    const char *phase;
    uint64_t calls, bytes; /* allocations and reallocations */
};

/* What one thread, or those that had its place one after the other, counted in one phase, whichever site
 * owned it. */
struct report_part {
    uint64_t pid, thread;
    const char *phase;        /* NULL: outside of all phases */
    bool is_known;            /* else nothing tells which thread and phase it was */
    struct counters counters; /* from allocs to failed; live: what came less what went, modulo 2^64 */
};

/* The effects of the site by on blocks of the site owner. */
struct report_pair {
    enum pair_kind kind;
    struct report_site *owner, *by; /* among the report's sites; NULL: not known */
    uint64_t count, bytes;
    const struct report_stack *owner_stack, *by_stack; /* of these sites; NULL: not known */
};

struct report_limits {
    enum report_sort sort;
    uint64_t top; /* rows shown; 0: all */
    uint64_t min_bytes, min_allocs;
    bool leaks;                   /* only sites with live blocks, those with lost ones first */
    bool pairs, sizes, lifetimes; /* people are shown them */
    bool full_names;              /* and names as they are */
    bool apart;                   /* and what libraries take for themselves as one row */
    const char *suppressed;       /* leaks that are none (filter.h); NULL: all are */
    const char *filter;           /* only sites that match (filter.h); NULL: all */
    uint64_t depth;               /* frames that stacks have; 0: as many as were kept */
};

/* Several processes that one report is of. */
struct report_processes {
    uint64_t count;      /* 0: it is of one */
    uint64_t unfinished; /* so many have not come to their end */
    uint64_t killed;     /* so many of these by a signal that is known */
    uint64_t forked;     /* so many are forked children; ... */
    uint64_t untouched_blocks,
        untouched_bytes;          /* ... what these inherited and left alone is not in the rows */
    const uint64_t *reasons_hold; /* for so many of them each reason does */
    const char *const *programs;  /* the executables, if there is more than one */
    size_t program_count;
};

/* The run of one process. */
struct report_run {
    uint64_t begun;          /* nanoseconds since 1970-01-01 UTC; 0: nothing of this is known */
    uint64_t ended;          /* 0: by itself it has not */
    uint64_t resident;       /* bytes, the most; 0: not known */
    const char *command;     /* line; NULL: not known */
    uint32_t ending, status; /* enum profile_ending */
};

/* The moment of a recording. */
struct report_sampled {
    uint64_t time;          /* nanoseconds since 1970-01-01 UTC; 0: it is of none */
    uint64_t since;         /* nanoseconds, the first sample */
    uint64_t number, count; /* of samples */
    uint64_t thinned;       /* further ones that were taken out again */
    uint64_t resident;      /* bytes, then; 0: not known */
};

/* Every string and array is borrowed. */
struct report {
    const char *program;
    const char *directory;     /* paths below it are shown relative in text; NULL: none are */
    bool is_elsewhere;         /* that is not the working directory */
    size_t width;              /* of the text in columns; 0: as wide as it gets */
    struct shown_names *names; /* that text shows apart (write/shown_names.h); NULL: they are just cut */
    bool is_coloured;          /* for a terminal */
    uint64_t pid;
    bool finished;         /* the program has come to its end */
    bool running;          /* it was still at work when this was read */
    struct report_run run; /* of one process */
    struct report_sampled sampled;
    bool forked;                /* a child: what it inherited counts with its parent too */
    const char *const *reasons; /* why the numbers are not exact; none: they are */
    size_t reason_count;
    bool damaged;                    /* what it was read from is; the first reason says how */
    struct report_processes several; /* if it is of several */
    struct report_site **sites;      /* in any order; report_prepare sorts, merges and cuts */
    size_t site_count;
    struct report_pair *pairs; /* in any order; report_prepare sorts and merges */
    size_t pair_count;
    const struct report_module *modules; /* as far as they are known */
    size_t modules_size;
    struct report_stack *stacks; /* in any order */
    size_t stack_count;
    struct report_paths *paths;    /* NULL: they are not asked for */
    struct report_caller *callers; /* room for one of each stack, which report_prepare fills; NULL: lines were
                                      not chosen */
    struct report_phase *phases;   /* in any order; report_prepare sorts and merges. What came in none is not
                                    here, nor what a process has counted that was reset */
    size_t phase_count;
    const struct report_part *parts; /* in any order, several of one thread and phase too */
    size_t part_count;
    bool has_parts;               /* they are known */
    struct counters before_reset; /* what the parts have and the totals have not */
    struct profile_walks walks;
    uint64_t wrong_contexts;       /* as in struct profile_header */
    const char *const *walked_for; /* modules whose functions keep no contexts, though some on the same stacks
                                      do: so those are looked at each time */
    size_t walked_for_count;
    struct attributed *attributed; /* what the rows' lines are kept in; NULL: they were not chosen */
    bool has_custom;               /* there are custom allocators */
    struct counters custom;        /* of what they handed out; the totals have it too */
    bool has_pairs;                /* the ordinary ones were counted; faults always are */
    bool reach;                    /* lost blocks are told from reachable ones */
    const char *lost_unknown; /* why they are not, though it was asked for; NULL: they are, or nobody asked */
    uint64_t peak_within;     /* the true peak is not above peak_bytes by more than this; 0: it is exact */

    /* Set by report_prepare. */
    bool is_unowned; /* a reason is HOLE_UNOWNED or HOLE_FREES: frees, live and the peak are not known */
    struct report_limits limits;
    struct report_site totals;  /* of all sites */
    struct counters known;      /* of sites in the source, and of what libraries take for themselves */
    struct report_site backing; /* of those that are backing, which the totals do not have */
    size_t backing_count;
    size_t caller_count;       /* places of all others */
    size_t module_count;       /* modules of those whose place is not told */
    size_t shown;              /* the first ones of sites */
    size_t counted;            /* behind these come sites that only stand in pairs */
    struct report_site hidden; /* sum of the ones that are not shown */
    struct report_site
        apart; /* sum of those of libraries, if they are one row; they are among the counted ones */
    size_t apart_count;
    struct report_site suppressed; /* sum of the leaks that are none, which are among the hidden ones */
    size_t suppressed_count;
    size_t fault_count; /* the last ones of pairs */
};

/* The limits that the options set on what is shown. Programs read JSON and CSV: they get all rows unless a
 * number was asked for. */
struct report_limits report_limits_of(const struct options *);

/* Whether an event was counted in part, so that its numbers contradict one another, which the report says. */
bool report_is_torn(const struct report *report);

/* Whether it is not known which blocks are live: owners were not noted, or frees not seen. */
bool report_is_unowned(const struct report *);

/* Returns the first caller of a stack that not all stacks of its row share; NULL if it is unknown. The report
 * must be prepared. */
const struct place *report_stack_caller(const struct report_stack *);

/* Negative, 0 or positive: by file, line and function; NULL, an unknown place, comes last. */
int report_order_places(const struct place *, const struct place *);

/* Merges what is one site, sorts, sums up, and decides what is shown. */
void report_prepare(struct report *, const struct report_limits *);

/* Whether a reason is of some of the processes only; then of how many. */
static inline uint64_t report_reason_part(const struct report *report, size_t reason) {
    const struct report_processes *several = &report->several;
    uint64_t holds = several->count && several->reasons_hold ? several->reasons_hold[reason] : 0;
    return holds < several->count ? holds : 0;
}

/* Whether the filter leaves nothing of what allocated; "": there is none. The report need not be prepared. */
bool report_filter_is_vain(const struct report *, const char *filter);

/* Returns the calls of the allocator by paths that were cut. */
uint64_t report_cut_calls(const struct report *);

/* Sites of which nothing is shown but their number and sum. */
static inline size_t report_hidden_count(const struct report *report) {
    return report->counted - report->shown - report->apart_count;
}

/* The memory that the C and C++ libraries take when they start and for their streams, and keep: no line of
 * the program is to blame, and none leaks it. What it is for; NULL: it is other memory. */
const char *report_library_use(const struct report_site *);

/* Whether that function of the C library allocates the buffers of its streams. */
bool report_is_stream_function(const char *function);

/* Whether it is what the C++ library has for exceptions when memory is short. */
bool report_is_exception_pool(const struct report_site *);

/* Whether the site is in the row of these. */
static inline bool report_is_apart(const struct report *report, const struct report_site *site) {
    return report->limits.apart && site->position >= report->shown && report_library_use(site);
}

/* Whether programs are given the site, which must be one of the report's: they find there what pairs name. */
static inline bool report_has_row(const struct report *report, const struct report_site *site) {
    return site->position < report->shown || site->is_named;
}

/* Whether any site has them. */
static inline bool report_has_sizes(const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++)
        if (report->sites[i]->sizes)
            return true;
    return false;
}

static inline bool report_has_lifetimes(const struct report *report) {
    for (size_t i = 0; i < report->site_count; i++)
        if (report->sites[i]->lifetimes)
            return true;
    return false;
}

/* Whether the pair is to be shown: faults are, others with their owner. */
static inline bool report_has_pair(const struct report *report, const struct report_pair *pair) {
    return pair_is_fault(pair->kind) || !pair->owner || pair->owner->position < report->shown;
}

/* Blocks that it had at once, at most. */
static inline uint64_t counters_most(const struct counters *counters) {
    return counters->max_live_blocks + counters->max_live_blocks_within;
}

/* Whether the site never had two blocks at once, or none of its stacks had: then the bound of the site, which
 * is the sum of theirs, is their number. */
static inline bool report_is_single(const struct report_site *site) {
    uint64_t most = counters_most(&site->counters);
    return most == 1 || (most && most == site->single_stacks);
}

/* Bytes and calls of both kinds, which rows are sorted and shares are computed by. */
static inline uint64_t counters_bytes(const struct counters *counters) {
    return counters->alloc_bytes + counters->realloc_bytes;
}

static inline uint64_t counters_calls(const struct counters *counters) {
    return counters->allocs + counters->reallocs;
}

/* Of leaks what is live has to be as large, else what came. */
static inline bool limits_want(const struct report_limits *limits, const struct counters *counters) {
    if (limits->leaks)
        return counters->live_blocks && counters->live_bytes >= limits->min_bytes &&
               counters->live_blocks >= limits->min_allocs;
    return counters_bytes(counters) >= limits->min_bytes && counters_calls(counters) >= limits->min_allocs;
}

/* ---- The orders of a report's sites, pairs and phases. All are total, so that one report has one form. */

/* By their frames, of which depth count (0: all); NULL, which is none, comes last. */
int order_stacks(const struct report_stack *, const struct report_stack *, uint64_t depth);

/* By what they are; 0: the two are one site of one module, or what came by one stack of it. */
int order_identity(const struct report_site *, const struct report_site *);

void order_sites_by_identity(struct report_site **, size_t count);

/* By what is asked for, the largest first. */
void order_sites(struct report_site **, size_t count, const struct report_limits *);

/* ---- The pairs of a report in the order of its sites. */

/* Merges equal pairs, sorts them, and tells the sites which are theirs. The sites are in their places. */
void pairs_prepare(struct report *);

/* ---- The callers of each site, sorted by their calls. */

void callers_prepare(struct report *);

/* ---- Its phases, likewise. */

/* By site, stack (none first) and name. */
int order_phases(const struct report_phase *, const struct report_phase *);

/* Merges equal ones and sorts them. The sites are in their places. */
void phases_prepare(struct report *);

#endif
