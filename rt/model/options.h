/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The formats: a row here, and a file that writes. */
#ifndef ALLOCSITE_MODEL_OPTIONS_H
#define ALLOCSITE_MODEL_OPTIONS_H

#include "base/out.h"
#include "base/settings.h"

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

/* BY_CALLER: lines, each by where the callers of its calls part. BY_FREED: by the line that gave the blocks
 * back. BY_THREAD and BY_PHASE are of parts of profiles. */
enum group_by {
    BY_SITE,
    BY_LINE,
    BY_FUNCTION,
    BY_FILE,
    BY_TYPE,
    BY_MODULE,
    BY_STACK,
    BY_CALLER,
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

/* ---- The options of a report: those of ALLOCSITE_OPTIONS that the reader needs, which the commands have by
 * the same names. The runtime reads the rest (lib/base/options.h); rt/options.def has all. */

/* Which call of a path is the line of an allocation. */
enum line_choice {
    LINE_AUTO,    /* the innermost one that is neither in a library nor in a pass-through function */
    LINE_SITE,    /* the call of the allocator */
    LINE_LIBRARY, /* the outermost one in the library that the program has called */
    LINE_CHOICES
};

struct line_options {
    enum line_choice choice;
    /* Globs of functions, files and modules, separated by commas; "": none. */
    char skip[SETTING_PATH_SIZE]; /* passes through */
    char stop[SETTING_PATH_SIZE]; /* does not */
};

const char *line_choice_name(enum line_choice);

/* Sets the option of that name. Returns NULL, or what is wrong with the name or the value. */
const char *line_options_set(struct line_options *, const char *name, const char *value);

enum report_sort { SORT_BYTES, SORT_ALLOCS, SORT_LIVE, SORT_PEAK, SORTS };

#define OPTIONS_PATH_SIZE SETTING_PATH_SIZE

struct options {
    enum report_format format;
    enum report_sort sort;
    bool full_names; /* people are shown names as they are */
    uint64_t top;    /* rows; 0: all */
    bool top_given;
    uint64_t min_bytes, min_allocs;
    enum group_by by;               /* what a row is of; none of parts of profiles */
    char filter[OPTIONS_PATH_SIZE]; /* "" or pattern of sites (filter.h) */
    char focus[OPTIONS_PATH_SIZE];  /* "" or pattern of the function that is looked at */
    bool inclusive;                 /* functions are sorted by their inclusive cost */
    struct line_options line;
    uint64_t depth;                   /* frames that reports show of stacks; 0: all */
    bool leaks;                       /* only sites with live blocks */
    bool pairs, sizes, lifetime;      /* show these, if they were counted */
    char suppress[OPTIONS_PATH_SIZE]; /* "none" or file of leaks that are known */
};

void options_default(struct options *);

/* Takes over what text says. A pair that is wrong is complained about and left out; keys that the runtime
 * alone reads are passed over. */
void options_parse(struct options *, const char *text, settings_complaint *);

/* Whether a key of that name is of a report; and takes its value, or returns what is wrong with it. */
bool options_have(struct setting_value name);
const char *options_take(struct options *, struct setting_value name, struct setting_value value);

/* All keys, their defaults and their meaning, a line each. */
void options_help(struct out *);

/* Whether they ask for what is only known where the owners of blocks are noted. */
bool options_need_owners(const struct options *);

#endif
