/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Formats and options of reports. A format has a row here and a file that writes it. */
#ifndef ALLOCSITE_MODEL_OPTIONS_H
#define ALLOCSITE_MODEL_OPTIONS_H

#include "base/out.h"
#include "base/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enumerator, name, and whether it is for programs (which get all rows). report_NAME writes a report. */
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

/* formats: a bit for each allowed format. False: none of them has that name. */
enum { FORMATS_ALL = (1 << FORMATS) - 1 };
bool format_named(const char *name, size_t length, unsigned formats, enum report_format *);

/* ---- Kinds of rows. */

/* BY_CALLER: a line is divided by the callers at which its paths diverge. BY_FREED: rows are the lines that
 * freed the blocks. BY_THREAD and BY_PHASE: rows are parts of profiles. */
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

/* False: no such kind. */
bool group_by_read(const char *name, size_t length, enum group_by *);

static inline bool group_by_parts(enum group_by by) {
    return by == BY_THREAD || by == BY_PHASE;
}

/* ---- The options of a report: the keys of ALLOCSITE_OPTIONS that the reader uses, and options of commands
 * with the same names. The runtime reads the others (lib/base/options.h); rt/options.def lists all. */

/* How the line of an allocation is chosen among the calls of its path. */
enum line_choice {
    LINE_AUTO,    /* the innermost call that is neither in a library nor in a pass-through function */
    LINE_SITE,    /* the call of the allocator */
    LINE_LIBRARY, /* the outermost call in the library that the program called */
    LINE_CHOICES
};

struct line_options {
    enum line_choice choice;
    /* Comma-separated globs of functions, files and modules; "": none. */
    char skip[SETTING_PATH_SIZE]; /* pass through */
    char stop[SETTING_PATH_SIZE]; /* never pass through */
};

const char *line_choice_name(enum line_choice);

/* Sets the option of that name. Returns NULL or an error message. */
const char *line_options_set(struct line_options *, const char *name, const char *value);

enum report_sort { SORT_BYTES, SORT_ALLOCS, SORT_LIVE, SORT_PEAK, SORTS };

#define OPTIONS_PATH_SIZE SETTING_PATH_SIZE

struct options {
    enum report_format format;
    enum report_sort sort;
    bool full_names; /* do not shorten names */
    uint64_t top;    /* rows; 0: all */
    bool top_given;
    uint64_t min_bytes, min_allocs;
    enum group_by by;               /* kind of rows; parts of profiles have none */
    char filter[OPTIONS_PATH_SIZE]; /* "" or a pattern of sites (filter.h) */
    char focus[OPTIONS_PATH_SIZE];  /* "" or a pattern of the function to focus on */
    bool inclusive;                 /* sort functions by inclusive cost */
    struct line_options line;
    uint64_t depth;                   /* frames of stacks to show; 0: all */
    bool leaks;                       /* only sites with live blocks */
    bool pairs, sizes, lifetime;      /* show these if they were counted */
    char suppress[OPTIONS_PATH_SIZE]; /* "none" or a file of known leaks */
};

void options_default(struct options *);

/* Sets the options in the text. Reports wrong pairs and ignores them; skips keys that only the runtime
 * reads. */
void options_parse(struct options *, const char *text, settings_complaint *);

/* options_have: true if a report has the key. options_take: stores the value and returns NULL or an error
 * message. */
bool options_have(struct setting_value name);
const char *options_take(struct options *, struct setting_value name, struct setting_value value);

/* Writes all keys with default and meaning, one per line. */
void options_help(struct out *);

/* True if an option needs the owners of blocks. */
bool options_need_owners(const struct options *);

#endif
