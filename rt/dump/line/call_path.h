/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths: the calls from an allocation out to the start of the program. */
#ifndef ALLOCSITE_DUMP_LINE_CALL_PATH_H
#define ALLOCSITE_DUMP_LINE_CALL_PATH_H

#include "dump/line/symbolize.h"
#include "model/report.h"

struct path_place {
    const char *function; /* NULL: unknown */
    const char *file;     /* NULL: unknown */
    const char *callee;   /* of the allocating call; else NULL */
    const char *module;   /* NULL: unknown */
    const char *build_id; /* of the module; NULL: unknown */
    uint64_t address;     /* in the module, if the function is unknown; 0: none */
    uint64_t returns;     /* return address in the frame of this code; 0: unknown */
    uint32_t line;
    uint32_t column;
    bool is_inlined; /* into the next place */
};

/* Returns whether the place represents callers that were not kept. */
static inline bool path_place_is_cut(const struct path_place *place) {
    return !place->module && place->returns == PROFILE_CUT;
}

/* Longer paths are cut, because the writers of trees recurse into them. */
enum { CALL_PATH_MAX = 1000 };

/* All zero: empty. The caller may set `most`. call_path_make can reuse it. */
struct call_path {
    struct path_place *places; /* innermost first; strings are borrowed */
    size_t count, capacity;
    size_t most; /* limit of places; 0: CALL_PATH_MAX */
};

/* Makes the path of an allocation site: its own place, the functions that it was inlined into, and the frames
 * of the stack with the places that symbolize_report found. The path ends at main, or at the first function
 * that the C library called. stack NULL: only the site's own places. */
void call_path_make(struct call_path *, const struct site_view *, const struct report_stack *);
void call_path_free(struct call_path *);

#endif
