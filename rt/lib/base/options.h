/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options of a run that the runtime itself needs. allocsite-dump reads those of its reports from the same
 * text (rt/options.def has both). */
#ifndef ALLOCSITE_LIB_BASE_OPTIONS_H
#define ALLOCSITE_LIB_BASE_OPTIONS_H

#include "base/settings.h"

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_CONTEXTS_COMPILED UINT64_MAX

/* What follows for the runtime from options of reports. */
struct options_implied {
    bool stacks, pairs, owners;    /* have to be counted */
    bool other_rows, other_format; /* than sites, than those for people and JSON */
    bool focus;                    /* a function is looked at, whose callers and callees are the rows */
};

struct run_options {
    bool enabled;
    char report[SETTING_PATH_SIZE];  /* "stderr", "stdout", "none" or a path pattern */
    bool owners;                     /* note who owns which block: what is freed, live, the peak */
    bool pairs;                      /* count who frees and reallocates whose blocks */
    bool temporary;                  /* count what is freed before anything else is allocated */
    bool lifetime;                   /* count how long blocks live */
    bool sizes;                      /* count the sizes that each site asks for */
    char profile[SETTING_PATH_SIZE]; /* "none" or a path pattern */
    bool reach;                      /* at exit, tell lost blocks from reachable ones */
    uint64_t stack;                  /* calling frames that are kept for each allocation */
    uint64_t contexts; /* stacks known by a number, at most; OPTIONS_CONTEXTS_COMPILED: as it was compiled */
    bool contexts_check;                 /* contexts are compared with walks */
    char stack_sites[SETTING_PATH_SIZE]; /* patterns, separated by commas: only of those; "": of all */
    int signal;                          /* at which a report is written; 0: none */
    bool fatal;                          /* which signal ends the process is told */
    int signal_start;                    /* at which counting is started, or stopped; 0: none */
    bool stopped;                        /* until it is started */
    char hook[SETTING_PATH_SIZE];        /* "none" or path of a shared object that is loaded */
    char break_at[SETTING_PATH_SIZE];    /* "none" or SITE:N */
    char graph[SETTING_PATH_SIZE];       /* "none" or a path pattern */
    char reader[SETTING_PATH_SIZE];      /* "found" or the path of allocsite-dump */
    bool help;                           /* the keys are printed at the start */
    struct options_implied implied;
};

void options_default(struct run_options *);

/* Takes over what text says. A pair that is wrong is complained about and left out. */
void options_parse(struct run_options *, const char *text, settings_complaint *);

/* Whether the report has the list of faults. */
static inline bool options_show_faults(const struct run_options *options) {
    return !options->implied.other_rows && !options->implied.focus && !options->implied.other_format;
}

/* Whether they ask for what only is known where owners are noted, or costs so much that not noting them would
 * not make it cheaper. */
bool options_need_owners(const struct run_options *);

#endif
