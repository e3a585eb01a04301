/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The debug sections of a module, decompressed, and relocated where it is a relocatable object. */
#ifndef ALLOCSITE_DUMP_DEBUG_HANDLE_H
#define ALLOCSITE_DUMP_DEBUG_HANDLE_H

#include "dump/debug/line_program.h"
#include "dump/elf/elf_file.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

struct debug_sections {
    const struct elf_file *elf;
    unsigned char **copies; /* of each section; NULL: as it is in the file */
    uint64_t *sizes;        /* of each section's bytes */
};

/* False: the module has no debug information that can be read; *why says why. */
bool debug_sections_open(struct debug_sections *, const struct elf_file *, struct reason *why);
void debug_sections_close(struct debug_sections *);

/* NULL: the section has no bytes. */
const unsigned char *debug_section_bytes(const struct debug_sections *, size_t index);

/* ---- Debug information of a module, open to be read with libdwarf. The only file that includes libdwarf.h.
 *
 * libdwarf trusts what it reads more than it should: use it in a process of its own.
 */

struct debug_handle {
    struct debug_sections sections;
    Dwarf_Obj_Access_Interface access;
    Dwarf_Debug debug;
};

/* The handle must stay where it is, and the file outlive it. False: *why says why, and nothing is open. */
bool debug_open(struct debug_handle *, const struct elf_file *, struct reason *why);
void debug_close(struct debug_handle *);

/* The first entry below one, and what follows it there; NULL: there is no more, or it is not wanted. Gives
 * the entry back in any case. */
Dwarf_Die debug_child_of(Dwarf_Die parent);
Dwarf_Die debug_next_of(Dwarf_Debug, Dwarf_Die, bool is_wanted);

/* 0: it cannot be read. */
Dwarf_Half debug_tag(Dwarf_Die);

/* Whether it is a type that has members. */
bool debug_is_record(Dwarf_Half tag);

/* An attribute that cannot be read is as if it were not there: NULL, 0, false. */
bool debug_has_attribute(Dwarf_Die, Dwarf_Half attribute);
const char *debug_text(Dwarf_Die, Dwarf_Half attribute);
uint64_t debug_number(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute);

/* The same, with false for what is not there, or no number. */
bool debug_constant(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute, uint64_t *number);

/* Sets *offset to the entry that the attribute refers to. */
bool debug_reference(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute, Dwarf_Off *offset);

/* Calls for each unit, from the first to the last: libdwarf begins anew only behind that one. Returns how
 * many there are. */
typedef void debug_unit_function(void *context, Dwarf_Die unit, bool is_of_types);
size_t debug_each_unit(Dwarf_Debug, debug_unit_function *, void *context);

/* Whether most of what the unit has is in a .dwo file. */
bool debug_is_split(Dwarf_Die unit);

/* Whether the scope that has such an entry has the functions and calls in it, too. */
bool debug_is_transparent(Dwarf_Half tag);

/* Whether the entry stands for code of its own. */
bool debug_has_code(Dwarf_Die);

/* Sets *offset to the entry that this one is an instance or a definition of. */
bool debug_next_origin(Dwarf_Debug, Dwarf_Die, Dwarf_Off *offset);

/* Either may be NULL. */
struct debug_names {
    const char *plain, *linkage;
};

/* Of the function whose entry is at the offset. */
struct debug_names debug_function_names(Dwarf_Debug, Dwarf_Off offset);

/* A directory of a line table. */
const char *debug_line_directory(Dwarf_Line_Context, Dwarf_Unsigned index);

/* Calls for each row of the unit's line table. */
void debug_each_row(const struct debug_handle *, Dwarf_Die unit, line_row_function *, void *context);

/* Calls for each stretch of code of the entry, from low to high - 1. base: where its unit's ranges begin.
 * Code that the linker dropped has none. */
typedef void debug_range(void *context, uint64_t low, uint64_t high);
void debug_each_range(Dwarf_Debug, Dwarf_Die, uint64_t base, debug_range *, void *context);

/* ---- A unit of debug information, asked about addresses: lookup.c and rows.c in parts. */

/* Deeper nesting of scopes is damage. */
enum { DWARF_DEPTH_MAX = 1000 };

/* A function, or one that was inlined in another. */
struct debug_scope {
    size_t parent; /* scope that it was inlined in, plus one; 0: none */
    Dwarf_Off function;
    uint64_t call_file, call_line, call_column;
};

/* The place of an address. */
struct debug_hit {
    size_t scope; /* the innermost, plus one; 0: none */
    uint64_t file, line, column;
    bool has_row;
    bool is_in_unit; /* that is being read */
    bool is_found;   /* in a unit that was read before */
};

struct debug_unit {
    const struct debug_handle *handle;
    Dwarf_Debug debug;
    const uint64_t *addresses;
    struct debug_hit *hits; /* of each address */
    size_t count;

    uint64_t base; /* of its ranges */
    size_t *in;    /* addresses in its ranges */
    size_t in_count;
    struct debug_scope *scopes; /* those that have addresses */
    size_t scope_count, scope_room;
    char **files; /* of its line table, by number */
    size_t file_count;
    uint64_t entries_left; /* more is damage that goes in circles */
};

/* Sets *from and *end to the addresses from low to high - 1. */
void debug_unit_slice(const struct debug_unit *, uint64_t low, uint64_t high, size_t *from, size_t *end);

/* Finds their rows, and the names of files. debug_unit_files_free gives those back. */
void debug_unit_lines(struct debug_unit *, Dwarf_Die);
void debug_unit_files_free(struct debug_unit *);

#endif
