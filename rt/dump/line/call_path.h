/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Call paths: the calls from an allocation out to where the program began. */
#ifndef ALLOCSITE_DUMP_LINE_CALL_PATH_H
#define ALLOCSITE_DUMP_LINE_CALL_PATH_H

#include "dump/line/symbolize.h"
#include "model/report.h"

struct path_place {
    const char *function; /* NULL: not known */
    const char *file;     /* NULL: not known */
    const char *callee;   /* of the allocating call; else NULL */
    const char *module;   /* NULL: not known */
    const char *build_id; /* of the module; NULL: not known */
    uint64_t address;     /* in the module, where there is no function; 0: none */
    uint64_t returns;     /* of the frame that has the code of the call; 0: not known */
    uint32_t line;
    uint32_t column;
    bool is_inlined; /* into the next place */
};

/* Returns whether the place represents callers that were not kept. */
static inline bool path_place_is_cut(const struct path_place *place) {
    return !place->module && place->returns == PROFILE_CUT;
}

/* Longer paths are cut where they are written: code that writes trees recurses into them. */
enum { CALL_PATH_MAX = 1000 };

/* All zero, but for the limit that the caller sets: empty. It can be made again and again. */
struct call_path {
    struct path_place *places; /* innermost first; texts are borrowed */
    size_t count, room;
    size_t most; /* places; 0: CALL_PATH_MAX */
};

/* Makes the path of an allocation site: its own place and the functions that it was inlined into, then the
 * frames of the stack, with the places that symbolize_report has found, up to main or to the function that
 * the C library called first; stack NULL: as far as is known without one. */
void call_path_make(struct call_path *, const struct site_view *, const struct report_stack *);
void call_path_free(struct call_path *);

#endif
