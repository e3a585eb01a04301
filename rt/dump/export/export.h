/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Reports in the formats of other programs' viewers: a row here, and a file that writes.
 *
 * What these formats have in common is samples: numbers, and the frames from an allocation outwards. All that
 * a format shows sums up to the totals of the report. */
#ifndef ALLOCSITE_DUMP_EXPORT_EXPORT_H
#define ALLOCSITE_DUMP_EXPORT_EXPORT_H

#include "base/out.h"
#include "dump/base/hash_index.h"
#include "dump/line/symbolize.h"
#include "dump/record/moment.h"
#include "dump/view/measure.h"

/* Name, and whether it is bytes that no terminal shows. export_NAME writes it. */
#define ALLOCSITE_EXPORTS(X)                                                                                 \
    X(pprof, true)                                                                                           \
    X(dhat, false)                                                                                           \
    X(speedscope, false)                                                                                     \
    X(collapsed, false)                                                                                      \
    X(callgrind, false)                                                                                      \
    X(openmetrics, false)                                                                                    \
    X(trace, false)

/* Of each sample, in the order in which formats show them. */
enum sample_value {
    SAMPLE_CALLS, /* allocations and reallocations, as everywhere in reports */
    SAMPLE_BYTES,
    SAMPLE_OWNED, /* those from here on are known only if the owners of blocks are */
    SAMPLE_LIVE_BLOCKS = SAMPLE_OWNED,
    SAMPLE_LIVE_BYTES,
    SAMPLE_PEAK_BLOCKS,
    SAMPLE_PEAK_BYTES,
    SAMPLE_VALUES
};

struct frame {
    const char *function; /* for people; of what has no name, where it is */
    const char *symbol;   /* its full name; NULL: not known */
    const char *file;     /* NULL: not known */
    const char *module;   /* NULL: not known */
    uint64_t address;     /* in the module, of what has no symbol; else 0 */
    uint32_t line, column;
    bool is_inlined; /* into the next frame of its sample */
};

struct sample {
    const struct site_view *site;
    const char *phase; /* NULL: in none, or it is not known; what is live and was at the peak is there */
    uint64_t values[SAMPLE_VALUES];
    uint64_t lived; /* nanoseconds, all its blocks that went together; of a stack its share of its site's,
                       by their number; 0: not counted */
    size_t first, count; /* of paths: its frames, innermost first */
};

/* All zero, but for what the caller sets: none yet. */
struct samples {
    const struct report *report; /* prepared */
    const struct moment *moment; /* that the report is of; NULL: it is of no recording */
    enum measure by;             /* what the user looks at first */
    size_t top;                  /* sites of which formats tell that are bounded; 0: all */
    bool full_names;
    bool is_now;   /* whoever reads them asks for what is there now: no times are told */
    bool is_older; /* openmetrics: in Prometheus' text format 0.0.4 */

    size_t value_count; /* the first ones are known */
    struct sample *list;
    size_t count, room;
    uint32_t *paths; /* numbers of frames */
    size_t path_count, path_room;
    struct frame *frames;
    size_t frame_count, frame_room;
    struct hash_index index; /* of frames */
    struct string_pool strings;
    struct number_map short_names; /* of symbols, all of the pool */
    uint64_t totals[SAMPLE_VALUES];
    const char **phase_names; /* each once, in their order */
    size_t phase_count;
    uint32_t *phased;    /* numbers of the samples of each phase, one phase behind the other */
    size_t *phase_first; /* of each phase in these, and one more */
};

/* The symbolizer has looked up the report's addresses. Everything but the report's own is the samples'. */
void samples_make(struct samples *);
void samples_free(struct samples *);

void sample_values(uint64_t values[SAMPLE_VALUES], const struct counters *);

/* Of the values, calls and bytes are known of what came in a phase. */
enum { SAMPLE_PHASED = SAMPLE_OWNED };

/* Which value the user looks at first. */
enum sample_value samples_first(const struct samples *);

static inline bool sample_is_bytes(enum sample_value value) {
    return value == SAMPLE_BYTES || value == SAMPLE_LIVE_BYTES || value == SAMPLE_PEAK_BYTES;
}

/* The numbers of rows of the moment: the first sites of the report, as many as are wanted. The caller frees
 * them. */
size_t *samples_numbers(const struct samples *, size_t *count);

/* Why the numbers are not all, in one line: the index-th such reason. False: there is none. */
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

/* NULL: there is none of that name. */
const struct export_format *export_named(const char *name);

#endif
