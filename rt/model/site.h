/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sites and source locations, as runtime and reader represent them. */
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

/* A site. Every string and array is borrowed. */
struct site_view {
    uint64_t id;                 /* stable hash */
    const char *module;          /* path of the executable or shared object */
    bool sited;                  /* false: allocations of the module without a site */
    struct place at;             /* location of the call */
    const char *callee;          /* as in the source; NULL: unsited */
    const char *type;            /* NULL: unknown */
    const struct place *inlined; /* innermost caller first */
    size_t inlined_count;
    bool outside_totals;  /* in no total: chunks of a custom allocator, or mappings */
    bool mapping;         /* these are mappings */
    uint64_t address;     /* unsited: return address as in the module's ELF file; 0: otherwise */
    const char *build_id; /* of the module; NULL: unknown */
};

/* The function whose machine code contains the call: the outermost one of the inline chain. */
static inline const char *site_code(const struct site_view *view) {
    return view->inlined_count ? view->inlined[view->inlined_count - 1].function : view->at.function;
}

/* True if the type says more than "bytes". */
static inline bool type_is_specific(const char *type) {
    return type && strcmp(type, ALLOCSITE_BYTES) != 0;
}

/* ---- The layout of a type: its size and its padding. */

enum { TYPE_HOLES_MAX = 32, TYPE_MEMBER_SIZE = 80 };

struct type_hole {
    uint64_t offset, size;
    char after[TYPE_MEMBER_SIZE]; /* name of the member before the hole, "outer.inner"; "": none */
};

enum type_state {
    TYPE_UNKNOWN, /* not found */
    TYPE_KNOWN,
    TYPE_DIFFERS, /* types of this name have different layouts */
    TYPE_VIRTUAL, /* has virtual bases, whose offsets are unknown before run time; the size is known */
};

/* All zero: unknown. */
struct type_layout {
    enum type_state state;
    uint64_t size, padding;
    bool is_flexible;                  /* ends with a flexible array */
    bool is_partial;                   /* some members are only declared, and assumed to have no padding */
    uint32_t first_field, field_count; /* its pointers, if requested */
    uint32_t holes_count;              /* holes beyond TYPE_HOLES_MAX are only counted */
    struct type_hole holes[TYPE_HOLES_MAX];
};

/* Why the types of a module are unknown. */
struct types_unknown {
    const char *module;
    char why[256];
};

#endif
