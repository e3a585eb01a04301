/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The formats: a row here, and a file that writes. */
#ifndef ALLOCSITE_MODEL_FORMATS_H
#define ALLOCSITE_MODEL_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

/* Views that a format can write; the sites of a report are in every one. */
enum view {
    VIEW_SITES = 1,
    VIEW_GROUPS = 2,
    VIEW_COVERAGE = 4,
    VIEW_TREE = 8,
    VIEW_DIFF = 16,
    VIEW_CHECK = 32,
    VIEW_TABLE = 64,   /* of the sites and wrappers of a module */
    VIEW_EVENTS = 128, /* who allocates, reallocates and frees */
    VIEW_ADVICE = 256,
    VIEW_ALL = 511
};

/* Enumerator, name, whether programs read it (they get all rows), and the views. report_NAME writes a report.
 */
#define ALLOCSITE_FORMATS(X)                                                                                 \
    X(FORMAT_TEXT, text, false, VIEW_ALL)                                                                    \
    X(FORMAT_JSON, json, true, VIEW_ALL)                                                                     \
    X(FORMAT_CSV, csv, true, VIEW_SITES | VIEW_GROUPS | VIEW_COVERAGE)                                       \
    X(FORMAT_TSV, tsv, true, VIEW_SITES | VIEW_GROUPS)                                                       \
    X(FORMAT_MARKDOWN, markdown, false, VIEW_SITES | VIEW_GROUPS | VIEW_COVERAGE | VIEW_EVENTS)

enum report_format {
#define ALLOCSITE_FORMAT(format, name, for_programs, views) format,
    ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)
#undef ALLOCSITE_FORMAT
        FORMATS
};

static inline bool format_is_for_programs(enum report_format format) {
#define ALLOCSITE_FORMAT(format, name, for_programs, views) for_programs,
    static const bool all[] = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    return all[format];
}

static inline bool format_has(enum report_format format, enum view view) {
#define ALLOCSITE_FORMAT(format, name, for_programs, views) views,
    static const unsigned short all[] = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    return all[format] & view;
}

static inline const char *format_name(enum report_format format) {
#define ALLOCSITE_FORMAT(format, name, for_programs, views) #name,
    static const char *const all[] = {ALLOCSITE_FORMATS(ALLOCSITE_FORMAT)};
#undef ALLOCSITE_FORMAT
    return all[format];
}

/* False: no format of that name has the view. */
bool format_named(const char *name, size_t length, enum view, enum report_format *);

#endif
