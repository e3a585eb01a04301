/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The formats: a row here, and a file that writes. */
#ifndef ALLOCSITE_MODEL_OPTIONS_H
#define ALLOCSITE_MODEL_OPTIONS_H

#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enumerator, name, and whether programs read it (they get all rows). report_NAME writes a report. */
#define ALLOCSITE_FORMATS(X)                                                                                 \
    X(FORMAT_TEXT, text, false)                                                                              \
    X(FORMAT_JSON, json, true)                                                                               \
    X(FORMAT_CSV, csv, true)                                                                                 \
    X(FORMAT_TSV, tsv, true)                                                                                 \
    X(FORMAT_MARKDOWN, markdown, false)

enum report_format {
#define ALLOCSITE_FORMAT(format, name, for_programs) format,
    ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)
#undef ALLOCSITE_FORMAT
        FORMATS
};

static inline bool format_is_for_programs(enum report_format format) {
#define ALLOCSITE_FORMAT(format, name, for_programs) for_programs,
    static const bool all[] = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    return all[format];
}

static inline const char *format_name(enum report_format format) {
#define ALLOCSITE_FORMAT(format, name, for_programs) #name,
    static const char *const all[] = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    return all[format];
}

/* False: none of those, a bit for each, has that name. */
enum { FORMATS_ALL = (1 << FORMATS) - 1 };
bool format_named(const char *name, size_t length, unsigned formats, enum report_format *);

/* ---- What a row is of. */

/* BY_FREED: by the line that gave the blocks back. BY_THREAD and BY_PHASE are of parts of profiles. */
enum group_by {
    BY_SITE,
    BY_LINE,
    BY_FUNCTION,
    BY_FILE,
    BY_TYPE,
    BY_MODULE,
    BY_STACK,
    BY_FREED,
    BY_THREAD,
    BY_PHASE,
    BYS
};

const char *group_by_name(enum group_by);

/* False: there is none of that name. */
bool group_by_read(const char *name, size_t length, enum group_by *);

static inline bool group_by_parts(enum group_by by) {
    return by == BY_THREAD || by == BY_PHASE;
}

/* ---- The options of a run: ALLOCSITE_OPTIONS and __allocsite_default_options. Pure: no environment, no
 * output.
 */

enum report_sort { SORT_BYTES, SORT_ALLOCS, SORT_LIVE, SORT_PEAK, SORTS };

#define OPTIONS_PATH_SIZE 1024

/* The most frames that stack may ask for. */
#define OPTIONS_STACK_MOST        64

#define OPTIONS_CONTEXTS_COMPILED UINT64_MAX

struct options {
    bool enabled;
    char report[OPTIONS_PATH_SIZE]; /* "stderr", "stdout", "none" or a path pattern */
    enum report_format format;
    enum report_sort sort;
    bool full_names; /* people are shown names as they are */
    uint64_t top;    /* rows; 0: all */
    bool top_given;
    uint64_t min_bytes, min_allocs;
    enum group_by by;                /* what a row is of; none of parts of profiles */
    char filter[OPTIONS_PATH_SIZE];  /* "" or pattern of sites (filter.h) */
    uint64_t depth;                  /* frames that reports show of stacks; 0: all */
    bool leaks;                      /* only sites with live blocks */
    bool owners;                     /* note who owns which block: what is freed, live, the peak */
    bool pairs;                      /* count who frees and reallocates whose blocks */
    bool temporary;                  /* count what is freed before anything else is allocated */
    bool repeats;                    /* count texts that strdup copies again */
    bool lifetime;                   /* count how long blocks live */
    bool sizes;                      /* count the sizes that each site asks for */
    char profile[OPTIONS_PATH_SIZE]; /* "none" or a path pattern */
    bool reach;                      /* at exit, tell lost blocks from reachable ones */
    uint64_t stack;                  /* calling frames that are kept for each allocation */
    uint64_t contexts; /* stacks known by a number, at most; OPTIONS_CONTEXTS_COMPILED: as it was compiled */
    bool contexts_check;                 /* contexts are compared with walks */
    char stack_sites[OPTIONS_PATH_SIZE]; /* patterns, separated by commas: only of those; "": of all */
    char list[OPTIONS_PATH_SIZE];        /* "none" or file of functions whose callers are billed */
    int signal;                          /* at which a report is written; 0: none */
    bool fatal;                          /* which signal ends the process is told */
    int signal_start;                    /* at which counting is started, or stopped; 0: none */
    bool stopped;                        /* until it is started */
    char suppress[OPTIONS_PATH_SIZE];    /* "none" or file of leaks that are known */
    char hook[OPTIONS_PATH_SIZE];        /* "none" or path of a shared object that is loaded */
    char break_at[OPTIONS_PATH_SIZE];    /* "none" or SITE:N */
    char graph[OPTIONS_PATH_SIZE];       /* "none" or a path pattern */
    bool help;                           /* the keys are told at the start */
};

void options_default(struct options *);

/* One complaint about one key=value pair, of length bytes at pair: what is wrong, and what would be right. */
typedef void options_complaint(const char *what, const char *pair, size_t length);

/* Takes over what text says. A pair that is wrong is complained about and left out. */
void options_parse(struct options *, const char *text, options_complaint *);

/* The same for the options of one report: those of a run are wrong. */
void options_parse_report(struct options *, const char *text, options_complaint *);

/* All keys, their defaults and their meaning, a line each. */
void options_help(struct out *);

/* Whether they ask for what only is known where owners are noted, or costs so much that not noting them would
 * not make it cheaper. */
bool options_need_owners(const struct options *);

#endif
