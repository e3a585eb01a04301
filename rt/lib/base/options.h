/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options that the runtime needs. allocsite-dump reads the report options from the same string. */
#ifndef ALLOCSITE_LIB_BASE_OPTIONS_H
#define ALLOCSITE_LIB_BASE_OPTIONS_H

#include "base/settings.h"

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_CONTEXTS_COMPILED UINT64_MAX

/* Requirements of the report options on the runtime. */
struct options_implied {
    bool stacks, pairs, owners;    /* these have to be counted */
    bool other_rows, other_format; /* the rows are not sites; the format is neither text, markdown nor JSON */
    bool focus;                    /* the rows are the callers and callees of one function */
};

struct run_options {
    bool enabled;
    char report[SETTING_PATH_SIZE]; /* "stderr", "stdout", "none" or a path pattern */
    bool owners;                    /* note the owners of blocks: needed for frees, live bytes and the peak */
    bool pairs;                     /* count frees and reallocs by one slot of another one's blocks */
    bool temporary;                 /* count blocks that are freed before the next allocation */
    bool lifetime;                  /* count how long blocks live */
    bool sizes;                     /* count the sizes that each site requests */
    bool maps;                      /* count mappings */
    char profile[SETTING_PATH_SIZE];  /* "none" or a path pattern */
    bool reach;                       /* search for leaked blocks at exit */
    uint64_t exitcode;                /* status to exit with if there are leaks; 0: the program's own */
    uint64_t stack;                   /* calling frames to keep for each allocation */
    uint64_t contexts;                /* limit of calling contexts; OPTIONS_CONTEXTS_COMPILED: as compiled */
    bool contexts_check;              /* compare contexts with walks */
    int signal;                       /* signal that writes a report; 0: none */
    bool fatal;                       /* report the signal that ends the process */
    int signal_start;                 /* signal that starts or stops counting; 0: none */
    bool stopped;                     /* wait until counting is started */
    char hook[SETTING_PATH_SIZE];     /* "none" or the path of a shared object to load */
    char break_at[SETTING_PATH_SIZE]; /* "none" or SITE:N */
    char fail[SETTING_PATH_SIZE];     /* "none" or SITE[:N] */
    char graph[SETTING_PATH_SIZE];    /* "none" or a path pattern */
    char reader[SETTING_PATH_SIZE];   /* "found" or the path of allocsite-dump */
    bool help;                        /* print the keys at the start */
    struct options_implied implied;
};

void options_default(struct run_options *);

/* Parses text. Reports and ignores wrong pairs. */
void options_parse(struct run_options *, const char *text, settings_complaint *);

/* Returns whether the report includes the list of faults. */
static inline bool options_show_faults(const struct run_options *options) {
    return !options->implied.other_rows && !options->implied.focus && !options->implied.other_format;
}

/* Returns whether an allocation shall fail. */
bool options_fail(const struct run_options *);

/* Returns whether an option needs the owners of blocks, or costs so much that omitting them saves nothing. */
bool options_need_owners(const struct run_options *);

#endif
