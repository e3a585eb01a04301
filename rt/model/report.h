/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report: the counters of all sites, ready to be written. The runtime fills it from its slabs, the reader
 * from files. */
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
    union lifetimes *lifetimes; /* NULL: not counted */
    bool shares_id;             /* with another site, so pairs with that id may belong to either */
    const char *way; /* functions of a row by stack, "main;load;parse" (view/tree.h of the reader); its only
                      * stack is main_stack. NULL: a whole site */
    bool shares_way; /* with another row of the site; they differ in lines */

    /* Set by report_prepare. */
    struct report_site *merged;    /* the row into which this row was merged: itself, or an equal row */
    size_t position;               /* index among the report's sites */
    size_t first_pair, pair_count; /* the ordinary pairs for which this site is the owner */
    bool is_named;                 /* a visible pair or a fault refers to it */
    const struct report_stack *main_stack; /* the stack with the most bytes; NULL: no stacks */
    size_t first_caller, caller_count;     /* range of the report's callers; empty if lines were not chosen */
    const struct place *shared_callers;    /* the callers that all stacks share, before they diverge */
    size_t shared_caller_count;
    uint64_t single_stacks; /* number of its stacks that never had two live blocks */
};

/* A module that contains addresses. */
struct report_module {
    const char *path;
    const char *build_id; /* hexadecimal; NULL: none or unknown */
};

/* A calling frame. */
struct report_frame {
    const struct report_module *module; /* NULL: unknown */
    uint64_t address;                   /* return address, as an address of the module's ELF file */
    const char *function;               /* that contains the address; NULL: unknown */
    const char *file;                   /* of the call; NULL: unknown */
    uint32_t line;                      /* 0: unknown */
    uint32_t place_count;
    const struct place *places; /* locations of the call and its inline chain; owned by the symbolizer */
};

/* The outermost frame of a cut path (PROFILE_CUT), and its name. */
#define REPORT_CUT "(cut)"
static inline bool report_is_cut(const struct report_frame *frame) {
    return !frame->module && frame->address == PROFILE_CUT;
}

/* Callers of a stack that are examined to find where the stacks of a row diverge. */
enum { STACK_CALLERS = 4 };

/* The part of a site that was called from one stack. The counters of the site include it. */
struct report_stack {
    struct report_site *site;
    struct report_frame *frames; /* innermost first, starting in the function that contains the call */
    size_t frame_count;
    struct counters counters;
    const struct site_view *origin; /* site at which it was counted; NULL: `site` */
    const struct place *callers;    /* the call of the function with the site's line, its caller's call and so
                                     * on; distinct locations, at most STACK_CALLERS; borrowed */
    size_t caller_count;            /* 0: unknown */

    /* Set by report_prepare. */
    size_t number; /* index among the stacks in formats for programs */
};

/* A call on a path, including inlined ones. */
struct report_call {
    struct place at;
    const char *module;  /* NULL: unknown */
    uint64_t address;    /* of the code that contains it, as in struct report_frame; 0: unknown */
    bool is_inlined;     /* into the next call */
    bool passes_through; /* in a library or a pass-through function */
};

/* Computes paths when they are written, since all at once would take much more memory than their frames. */
struct report_paths {
    /* Returns the calls of a stack, starting with the call of the allocator, and the index of the chosen
     * line. Valid until the next call. */
    const struct report_call *(*take)(struct report_paths *, const struct report_stack *, size_t *count,
                                      size_t *line);
    const char *type; /* of the allocation whose path was taken last; NULL: unknown */
};

/* A caller of a row's function, or of the last caller that all stacks of the row share, with its share of the
 * row. */
struct report_caller {
    const struct report_site *site;
    const struct place *at; /* NULL: unknown */
    uint64_t calls, bytes;  /* allocations and reallocations */
};

/* The allocations of a site, or of its part with one stack, in a phase. */
struct report_phase {
    const struct report_site *site;
    const struct report_stack *stack; /* NULL: the part without a stack */
    const char *phase;
    uint64_t calls, bytes; /* allocations and reallocations */
};

/* The maximum of the bytes that a thread or phase had allocated and not released. */
struct report_peak {
    uint64_t bytes, within; /* the true maximum exceeds it by at most this */
    uint64_t time;          /* nanoseconds since 1970-01-01 UTC; 0: unknown */
};

/* Peaks of parts may be at different moments: the peak of both is at least the larger and at most the sum. */
static inline void report_peak_join(struct report_peak *peak, const struct report_peak *part) {
    uint64_t most = peak->bytes + peak->within + part->bytes + part->within;
    if (part->bytes > peak->bytes)
        *peak = *part;
    peak->within = most - peak->bytes;
}

/* The counters of a thread in one phase, over all sites. Threads that used the same slab one after the other
 * share a part. */
struct report_part {
    uint64_t pid, thread;
    const char *phase; /* NULL: outside of all phases */
    bool is_known;     /* false: thread and phase are unknown */
    /* peak: of the thread in this phase; thread_peak: of the thread in all phases, set in one of the thread's
     * parts. */
    struct report_peak peak, thread_peak;
    struct counters counters; /* from allocs to failed; live: allocated minus released, modulo 2^64 */
};

/* A module without symbols, whose functions have addresses instead of names. */
struct report_nameless {
    const char *module;  /* NULL: none that matters */
    const char *package; /* of the system that contains it; NULL: unknown */
    uint64_t calls;      /* allocations and reallocations with the module on their path */
};

/* The effects of site `by` on blocks of site `owner`. */
struct report_pair {
    enum pair_kind kind;
    struct report_site *owner, *by; /* among the report's sites; NULL: unknown */
    uint64_t count, bytes;
    const struct report_stack *owner_stack, *by_stack; /* of these sites; NULL: unknown */
};

struct report_limits {
    enum report_sort sort;
    uint64_t top; /* rows shown; 0: all */
    uint64_t min_bytes, min_allocs;
    bool leaks;                   /* only sites with live blocks, those with leaked ones first */
    bool pairs, sizes, lifetimes; /* show these to people */
    bool full_names;              /* do not shorten names */
    bool apart;                   /* combine the libraries' own allocations in one row */
    const char *suppressed;       /* known leaks to hide (filter.h); NULL: none */
    const char *filter;           /* only sites that match (filter.h); NULL: all */
    uint64_t depth;               /* frames of stacks to show; 0: all */
};

/* The processes of a merged report. */
struct report_processes {
    uint64_t count;      /* 0: the report is of one process */
    uint64_t unfinished; /* number that did not end normally */
    uint64_t killed;     /* number of unfinished processes that a known signal ended */
    uint64_t forked;     /* number of forked children */
    uint64_t untouched_blocks,
        untouched_bytes; /* inherited blocks that forked children left untouched, which are not in the rows */
    const uint64_t *reasons_hold; /* for each reason, the number of processes to which it applies */
    const char *const *programs;  /* the executables, if there are several */
    size_t program_count;
};

/* The run of one process. */
struct report_run {
    uint64_t begun;    /* nanoseconds since 1970-01-01 UTC; 0: nothing here is known */
    uint64_t ended;    /* 0: not by itself */
    uint64_t resident; /* maximum in bytes; 0: unknown */
    uint64_t resident_parts[RESIDENT_PART_COUNT]; /* in bytes at exit; all 0: unknown */
    const char *command;                          /* command line; NULL: unknown */
    uint32_t ending, status;                      /* enum profile_ending */
    struct report_frame *frames;                  /* the stack of the signal that ended it, innermost first */
    size_t frame_count;                           /* 0: unknown */
};

/* The resident bytes at exit; 0: unknown. */
static inline uint64_t run_resident(const struct report_run *run) {
    uint64_t sum = 0;
    for (int i = 0; i < RESIDENT_PART_COUNT; i++)
        sum += run->resident_parts[i];
    return sum;
}

/* The moment of a recording. */
struct report_sampled {
    uint64_t time;          /* nanoseconds since 1970-01-01 UTC; 0: not a moment */
    uint64_t since;         /* nanoseconds since the first sample */
    uint64_t number, count; /* of the sample, and of all samples */
    uint64_t thinned;       /* samples that were removed to save space */
    uint64_t resident;      /* bytes at that time; 0: unknown */
};

/* All strings and arrays are borrowed. */
struct report {
    const char *program;
    const char *directory;     /* text shows paths below this directory as relative paths; NULL: none */
    bool is_elsewhere;         /* it is not the working directory */
    size_t width;              /* of text in columns; 0: unlimited */
    struct shown_names *names; /* names that need full length to be distinct (write/shown_names.h); NULL:
                                * none */
    bool is_coloured;          /* use a terminal's colours */
    uint64_t pid;
    bool finished;         /* the program has ended normally */
    bool running;          /* the program was running when this was read */
    struct report_run run; /* of one process */
    struct report_sampled sampled;
    bool is_private;            /* other processes cannot read its counters */
    bool forked;                /* a child: its parent's report includes the inherited blocks */
    const char *const *reasons; /* why the numbers are not exact; none: they are */
    size_t reason_count;
    bool damaged;                    /* the input is damaged; the first reason has details */
    struct report_processes several; /* if there are several */
    struct report_site **sites;      /* in any order until report_prepare sorts, merges and limits them */
    size_t site_count;
    struct report_pair *pairs; /* in any order until report_prepare sorts and merges them */
    size_t pair_count;
    const struct report_module *modules; /* the known ones */
    size_t modules_size;
    struct report_stack *stacks; /* in any order */
    size_t stack_count;
    struct report_paths *paths;    /* NULL: not requested */
    struct report_caller *callers; /* space for one per stack, filled by report_prepare; NULL: lines were not
                                    * chosen */
    struct report_phase *phases;   /* in any order until report_prepare sorts and merges them. Excludes
                                    * allocations outside of phases and of processes with a reset */
    size_t phase_count;
    const struct report_part *parts; /* in any order; a thread and phase may have several */
    size_t part_count;
    bool has_parts;               /* parts are known */
    struct counters before_reset; /* counted before a reset: included in parts, not in totals */
    struct profile_walks walks;
    uint64_t wrong_contexts;       /* as in struct profile_header */
    const char *const *walked_for; /* modules that keep no contexts although other functions on the same
                                    * stacks do, so that stacks with them are walked each time */
    size_t walked_for_count;
    struct report_nameless nameless;
    struct attributed *attributed; /* owner of the rows' chosen lines; NULL: not chosen */
    bool has_custom;               /* the program has custom allocators */
    struct counters custom;        /* their blocks, which totals include */
    bool has_pairs;                /* ordinary pairs were counted; faults always are */
    bool reach;                    /* leaked blocks are known */
    const char *leaked_unknown;    /* why they are unknown although requested; NULL: known or not requested */
    uint64_t peak_within;          /* the true peak exceeds peak_bytes by at most this; 0: exact */

    /* Set by report_prepare. */
    bool is_unowned; /* a reason is GAP_UNOWNED or GAP_FREES: frees, live blocks and the peak are unknown */
    struct report_limits limits;
    struct report_site totals; /* of all sites */
    struct counters known;     /* of sites in the source, and of the libraries' own allocations */
    struct report_site chunks; /* chunks of custom allocators, which totals exclude */
    size_t chunk_count;
    struct report_site mappings; /* with maps=1; totals exclude them, too */
    size_t mapping_count;
    size_t caller_count;       /* other rows with a return address */
    size_t module_count;       /* other rows without a return address, which represent modules */
    size_t shown;              /* number of leading sites to show */
    size_t counted;            /* number of leading sites with counters; sites that are only in pairs
                                * follow */
    struct report_site hidden; /* sum of the sites not shown */
    struct report_site apart;  /* sum of the libraries' sites, if combined; included in `counted` */
    size_t apart_count;
    struct report_site suppressed; /* sum of known leaks; included in `hidden` */
    size_t suppressed_count;
    size_t fault_count; /* number of trailing pairs that are faults */
};

/* The limits that the options set. Formats for programs, such as JSON and CSV, have all rows unless a number
 * was given. */
struct report_limits report_limits_of(const struct options *);

/* True if an event was counted only partly, so that numbers contradict each other. The report has the
 * reason. */
bool report_is_torn(const struct report *report);

/* Returns the reason why live blocks are unknown: owners were not recorded, or frees not seen. NULL: known.
 */
const char *report_unowned_reason(const struct report *);

/* The first caller of a stack that not all stacks of its row share; NULL: unknown. The report must be
 * prepared. */
const struct place *report_stack_caller(const struct report_stack *);

/* Compares by file, line and function; NULL, an unknown location, comes last. */
int report_order_places(const struct place *, const struct place *);

/* Merges equal sites, sorts, computes sums, and decides what is shown. */
void report_prepare(struct report *, const struct report_limits *);

/* The number of processes to which a reason applies; 0: all. */
static inline uint64_t report_reason_part(const struct report *report, size_t reason) {
    const struct report_processes *several = &report->several;
    uint64_t holds = several->count && several->reasons_hold ? several->reasons_hold[reason] : 0;
    return holds < several->count ? holds : 0;
}

/* True if no site with counters passes the filter; "" passes all. The report need not be prepared. */
bool report_filter_has_no_match(const struct report *, const char *filter);

/* The number of allocator calls on cut paths. */
uint64_t report_cut_calls(const struct report *);

/* The number of sites of which only the sum is shown. */
static inline size_t report_hidden_count(const struct report *report) {
    return report->counted - report->shown - report->apart_count;
}

/* The purpose of memory that the C and C++ libraries allocate at start and for streams, and keep; NULL: other
 * memory. No line of the program is responsible for it, and it is no leak. */
const char *report_library_use(const struct report_site *);

/* True for functions of the C library that allocate buffers of streams. */
bool report_is_stream_function(const char *function);

/* True for the C++ library's emergency pool for exceptions. */
bool report_is_exception_pool(const struct report_site *);

/* True if the site is in the combined row of libraries. */
static inline bool report_is_apart(const struct report *report, const struct report_site *site) {
    return report->limits.apart && site->position >= report->shown && report_library_use(site);
}

/* True if formats for programs have the site, because it is shown or pairs refer to it. It must be one of the
 * report's. */
static inline bool report_has_row(const struct report *report, const struct report_site *site) {
    return site->position < report->shown || site->is_named;
}

/* True if a site has sizes. */
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

/* True if the pair is shown: faults always, others together with their owner. */
static inline bool report_has_pair(const struct report *report, const struct report_pair *pair) {
    return pair_is_fault(pair->kind) || !pair->owner || pair->owner->position < report->shown;
}

/* Upper bound of the blocks that were live at once. */
static inline uint64_t counters_most(const struct counters *counters) {
    return counters->max_live_blocks + counters->max_live_blocks_within;
}

/* True if the site, or each of its stacks, never had two live blocks. In the latter case the site's bound is
 * the sum of the stacks' bounds, which is their number. */
static inline bool report_is_single(const struct report_site *site) {
    uint64_t most = counters_most(&site->counters);
    return most == 1 || (most && most == site->single_stacks);
}

/* Bytes and calls of allocations and reallocations, the basis of sorting and shares. */
static inline uint64_t counters_bytes(const struct counters *counters) {
    return counters->alloc_bytes + counters->realloc_bytes;
}

static inline uint64_t counters_calls(const struct counters *counters) {
    return counters->allocs + counters->reallocs;
}

/* Applies the lower limits to live blocks if only leaks are shown, else to allocations. */
static inline bool limits_want(const struct report_limits *limits, const struct counters *counters) {
    if (limits->leaks)
        return counters->live_blocks && counters->live_bytes >= limits->min_bytes &&
               counters->live_blocks >= limits->min_allocs;
    return counters_bytes(counters) >= limits->min_bytes && counters_calls(counters) >= limits->min_allocs;
}

/* ---- Orders of a report's sites, pairs and phases. All are total, so that equal reports have equal
 * output. */

/* By the first depth frames (0: all); NULL, no stack, comes last. */
int order_stacks(const struct report_stack *, const struct report_stack *, uint64_t depth);

/* By identity; 0: the same site of one module, or the same stack of it. */
int order_identity(const struct report_site *, const struct report_site *);

void order_sites_by_identity(struct report_site **, size_t count);

/* By the requested key, in descending order. */
void order_sites(struct report_site **, size_t count, const struct report_limits *);

/* ---- Pairs. */

/* Merges equal pairs, sorts them by site, and sets each site's range. Sites must be sorted. */
void pairs_prepare(struct report *);

/* ---- Callers, sorted by their calls for each site. */

void callers_prepare(struct report *);

/* ---- Phases. */

/* By site, stack (none first) and name. */
int order_phases(const struct report_phase *, const struct report_phase *);

/* Merges and sorts phases. Sites must be sorted. */
void phases_prepare(struct report *);

#endif
