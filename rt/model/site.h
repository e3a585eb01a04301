/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A site and a place in the source, as every part of runtime and reader sees them. */
#ifndef ALLOCSITE_MODEL_SITE_H
#define ALLOCSITE_MODEL_SITE_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
    uint64_t address;     /* unsited: where they return to, as in the module's ELF file; 0: all others */
    const char *build_id; /* of the module; NULL: not known */
};

/* The function that has the code of the call: what is inlined has none. */
static inline const char *site_code(const struct site_view *view) {
    return view->inlined_count ? view->inlined[view->inlined_count - 1].function : view->at.function;
}

/* Whether people learn something from it. */
static inline bool type_is_telling(const char *type) {
    return type && strcmp(type, ALLOCSITE_BYTES) != 0;
}

/* ---- How a type is laid out, as far as its reader knows: its size, and which bytes of it are padding. */

enum { TYPE_HOLES_MAX = 32, TYPE_MEMBER_SIZE = 80 };

struct type_hole {
    uint64_t offset, size;
    char after[TYPE_MEMBER_SIZE]; /* the member that ends there, "outer.inner"; "": it begins the type */
};

enum type_state {
    TYPE_UNKNOWN, /* nothing found */
    TYPE_KNOWN,
    TYPE_DIFFERS, /* types of this name have different layouts */
    TYPE_VIRTUAL, /* has virtual bases, whose places are known at run time only; its size is known */
};

/* All zero: unknown. */
struct type_layout {
    enum type_state state;
    uint64_t size, padding;
    bool is_flexible;                  /* ends with an array of any length */
    bool is_partial;                   /* some members are only declared, and taken to have no padding */
    uint32_t first_field, field_count; /* pointers in it, if these were asked for */
    uint32_t holes_count;              /* more than TYPE_HOLES_MAX are only counted */
    struct type_hole holes[TYPE_HOLES_MAX];
};

/* Why nothing is known of the types of a module. */
struct types_unknown {
    const char *module;
    char why[256];
};

#endif
