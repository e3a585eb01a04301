/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How a type is laid out, as far as its reader knows: its size, and which bytes of it are padding. */
#ifndef ALLOCSITE_MODEL_TYPE_LAYOUT_H
#define ALLOCSITE_MODEL_TYPE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
