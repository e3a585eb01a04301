/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a unit of debug information knows of addresses: dwarf_lookup.h in parts. */
#ifndef ALLOCSITE_DWARF_UNIT_H
#define ALLOCSITE_DWARF_UNIT_H

#include "dwarf_handle.h"

/* Deeper nesting of scopes is damage. */
enum { DWARF_DEPTH_MAX = 1000 };

/* A function, or one that was inlined in another. */
struct dwarf_scope {
    size_t parent; /* scope that it was inlined in, plus one; 0: none */
    Dwarf_Off function;
    uint64_t call_file, call_line, call_column;
};

/* What an address is at. */
struct dwarf_hit {
    size_t scope; /* the innermost, plus one; 0: none */
    uint64_t file, line, column;
    bool has_row;
    bool is_in_unit; /* that is being read */
    bool is_found;   /* in a unit that was read before */
};

struct dwarf_unit {
    const struct dwarf_handle *handle;
    Dwarf_Debug debug;
    const uint64_t *addresses;
    struct dwarf_hit *hits; /* of each address */
    size_t count;

    uint64_t base; /* of its ranges */
    size_t *in;    /* addresses in its ranges */
    size_t in_count;
    struct dwarf_scope *scopes; /* those that have addresses */
    size_t scope_count, scope_room;
    char **files; /* of its line table, by number */
    size_t file_count;
    uint64_t entries_left; /* more is damage that goes in circles */
    bool is_broken;        /* for want of memory */
};

/* Sets *from and *end to the addresses from low to high - 1. */
void dwarf_unit_slice(const struct dwarf_unit *, uint64_t low, uint64_t high, size_t *from, size_t *end);

/* Finds the scopes of the addresses that are in the unit. */
void dwarf_unit_scopes(struct dwarf_unit *, Dwarf_Die);

/* Finds their rows, and the names of files. dwarf_unit_files_free gives those back. */
void dwarf_unit_lines(struct dwarf_unit *, Dwarf_Die);
void dwarf_unit_files_free(struct dwarf_unit *);

#endif
