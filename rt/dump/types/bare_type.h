/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A type of debug information without typedefs, qualifiers and declarations around it, and its size. */
#ifndef ALLOCSITE_DUMP_TYPES_BARE_TYPE_H
#define ALLOCSITE_DUMP_TYPES_BARE_TYPE_H

#include "dump/types/layout.h"

/* A type that has more around it, or in it, is damaged. */
#define TYPE_DEPTH_MOST   100

#define TYPE_POINTER_SIZE 8

/* Where types are read. */
struct type_source {
    Dwarf_Debug debug;
    debug_definition *find;
    void *context;
};

struct bare_type {
    Dwarf_Die die;
    Dwarf_Half tag;
    bool is_declaration;
};

/* Whether it is one of those that are around others. */
bool bare_type_is_around(Dwarf_Half tag);

/* False: there is nothing to close. */
bool bare_type_open(const struct type_source *, struct bare_type *, Dwarf_Off);
void bare_type_close(const struct type_source *, struct bare_type *);

/* In bytes; 0: not known, or nothing. depth: of what it is in. */
uint64_t bare_type_size(const struct type_source *, const struct bare_type *, int depth);
uint64_t bare_type_size_at(const struct type_source *, Dwarf_Off, int depth);

/* Of an array with all its dimensions; 0: none, or any number. */
uint64_t bare_type_elements(const struct type_source *, const struct bare_type *array);

#endif
