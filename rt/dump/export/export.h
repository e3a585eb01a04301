/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports in the formats of other programs' viewers. Each has a row here and a file that writes it.
 *
 * All formats consist of samples: values, and the frames from an allocation outwards. The values of a format
 * sum up to the report's totals. */
#ifndef ALLOCSITE_DUMP_EXPORT_EXPORT_H
#define ALLOCSITE_DUMP_EXPORT_EXPORT_H

#include "base/out.h"
#include "dump/base/hash_index.h"
#include "dump/line/symbolize.h"
#include "dump/record/moment.h"
#include "dump/view/measure.h"

/* Name, and whether the format is binary. export_NAME writes it. */
#define ALLOCSITE_EXPORTS(X)                                                                                 \
    X(pprof, true)                                                                                           \
    X(dhat, false)                                                                                           \
    X(speedscope, false)                                                                                     \
    X(collapsed, false)                                                                                      \
    X(callgrind, false)                                                                                      \
    X(openmetrics, false)                                                                                    \
    X(trace, false)

/* The values of a sample, in the order in which formats show them. */
enum sample_value {
    SAMPLE_CALLS, /* allocations and reallocations, as in all reports */
    SAMPLE_BYTES,
    SAMPLE_OWNED, /* the values from here on need the owners of blocks */
    SAMPLE_LIVE_BLOCKS = SAMPLE_OWNED,
    SAMPLE_LIVE_BYTES,
    SAMPLE_PEAK_BLOCKS,
    SAMPLE_PEAK_BYTES,
    SAMPLE_VALUES
};

struct frame {
    const char *function; /* for people; without a name, the address */
    const char *symbol;   /* full name; NULL: unknown */
    const char *file;     /* NULL: unknown */
    const char *module;   /* NULL: unknown */
    uint64_t address;     /* in the module, if there is no symbol; else 0 */
    uint32_t line, column;
    bool is_inlined; /* into the next frame of its sample */
};

struct sample {
    const struct site_view *site;
    const char *phase; /* NULL: none or unknown; samples without a phase have the live and peak values */
    uint64_t values[SAMPLE_VALUES];
    uint64_t lived;      /* nanoseconds, sum over all released blocks; of a stack, its share of the site's in
                          * proportion to blocks; 0: not counted */
    size_t first, count; /* in `paths`: its frames, innermost first */
};

/* All zero except for what the caller sets. */
struct samples {
    const struct report *report; /* prepared */
    const struct moment *moment; /* moment of a recording; NULL: not a recording */
    enum measure by;             /* the requested measure */
    size_t top;                  /* number of sites in formats that limit them; 0: all */
    bool full_names;
    bool is_now;   /* counters are read live, so times are left out */
    bool is_older; /* openmetrics: use Prometheus' text format 0.0.4 */

    size_t value_count; /* number of known values */
    struct sample *list;
    size_t count, capacity;
    uint32_t *paths; /* indices of frames */
    size_t path_count, path_capacity;
    struct frame *frames;
    size_t frame_count, frame_capacity;
    struct hash_index index; /* of frames */
    struct string_pool strings;
    struct number_map short_names; /* by symbol, from the pool */
    uint64_t totals[SAMPLE_VALUES];
    const char **phase_names; /* each once, sorted */
    size_t phase_count;
    uint32_t *phased;    /* indices of samples, grouped by phase */
    size_t *phase_first; /* start of each phase in `phased`, and a sentinel */
};

/* The symbolizer must have looked up the report's addresses. The samples own everything except the report's
 * data. */
void samples_make(struct samples *);
void samples_free(struct samples *);

void sample_values(uint64_t values[SAMPLE_VALUES], const struct counters *);

/* Number of values that are known by phase: calls and bytes. */
enum { SAMPLE_PHASED = SAMPLE_OWNED };

/* The requested value. */
enum sample_value samples_first(const struct samples *);

static inline bool sample_is_bytes(enum sample_value value) {
    return value == SAMPLE_BYTES || value == SAMPLE_LIVE_BYTES || value == SAMPLE_PEAK_BYTES;
}

/* Rows of the moment: the first sites of the report, as many as requested. The caller frees them. */
size_t *samples_numbers(const struct samples *, size_t *count);

/* Writes the index-th reason why the numbers are inexact or incomplete, as one line. False: there is none. */
enum { SAMPLES_DOUBT = 1024 };
bool samples_doubt(char text[SAMPLES_DOUBT], const struct samples *, size_t index);

/* ---- The formats. */

typedef void export_function(struct out *, const struct samples *);
#define ALLOCSITE_EXPORT(name, is_binary) export_function export_##name;
ALLOCSITE_EXPORTS(ALLOCSITE_EXPORT)
#undef ALLOCSITE_EXPORT

struct export_format {
    const char *name;
    export_function *write;
    bool is_binary;
};

/* NULL: no such format. */
const struct export_format *export_named(const char *name);

#endif
