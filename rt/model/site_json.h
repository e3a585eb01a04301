/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The JSON of a site's static fields: the one home of their names, for the runtime's report and for
 * allocsite-dump. */
#ifndef ALLOCSITE_MODEL_SITE_JSON_H
#define ALLOCSITE_MODEL_SITE_JSON_H

#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place {
    const char *function;  /* NULL: unknown */
    const char *file;      /* NULL: unknown */
    uint32_t line, column; /* 0: unknown */
};

/* A site as readers see it. Every string and array is borrowed. */
struct site_view {
    uint64_t id;                 /* the stable hash */
    const char *module;          /* path of the executable or shared object */
    bool sited;                  /* false: stands for allocations of module that passed no site */
    struct place at;             /* where the call is written */
    const char *callee;          /* as in the source; NULL: unsited */
    const char *type;            /* NULL: unknown */
    const struct place *inlined; /* innermost caller first */
    size_t inlined_count;
    bool backing;         /* what custom allocators took to hand it out in parts: not in any total */
    bool of_wrapper;      /* the call is a wrapper's own (ALLOCSITE_OF_WRAPPER in format.h) */
    uint64_t address;     /* unsited: where they return to, as in the module's ELF file; 0: all others */
    const char *build_id; /* of the module; NULL: not known */
};

/* "id":...,"inlined":[...] without braces around, so that the caller can add members. */
void site_json_fields(struct out *, const struct site_view *);

/* ---- Places in the source as people read them. */

/* Writes "src/a.c:12:7", line and column where they are known. Paths below directory are shown relative to
 * it; NULL: none are. */
void place_write(struct out *, const struct place *, const char *directory);

/* The path of it alone; NULL: a question mark. */
void place_write_path(struct out *, const char *path, const char *directory);

#endif
