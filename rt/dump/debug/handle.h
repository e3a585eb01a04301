/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Access to the debug information of modules. */
#ifndef ALLOCSITE_DUMP_DEBUG_HANDLE_H
#define ALLOCSITE_DUMP_DEBUG_HANDLE_H

#include "dump/elf/elf_file.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The rows of a line table: an interpreter of the line-number programs in .debug_line of DWARF 2 to 5.
 *
 * libdwarf's own interpreter is not used: the version of 2021, which distributions have, begins sequences of
 * DWARF 5 with file 0 instead of 1, and attributes code of templates to the wrong file. The input may be
 * hostile; an error in it ends the program. */

struct line_row {
    uint64_t address; /* covers addresses up to the next row of its sequence */
    uint64_t file, line, column;
    bool is_end; /* ends the sequence: no more code */
};

typedef void line_row_function(void *context, const struct line_row *);

/* Calls the function for each row of the table at that offset in the section. */
void line_program_run(const unsigned char *section, size_t size, uint64_t offset, line_row_function *,
                      void *context);

/* ---- The debug sections of a module: decompressed, and relocated if it is a relocatable object.
 *
 * Sections of other modules are decompressed on first use: lines do not need location lists, and
 * decompressing all sections of a C library takes 40 ms. */

struct debug_sections {
    const struct elf_file *elf;
    unsigned char **copies; /* of each section; NULL: as in the file, or not decompressed yet */
    uint64_t *sizes;        /* decompressed sizes of the sections */
    struct reason damage;   /* "": no section that was used is damaged */
};

/* False: the module has no readable debug information; *why has the reason. */
bool debug_sections_open(struct debug_sections *, const struct elf_file *, struct reason *why);
void debug_sections_close(struct debug_sections *);

/* NULL: the section is empty or damaged. */
const unsigned char *debug_section_bytes(struct debug_sections *, size_t index);

/* ---- Debug information opened with libdwarf. The only header that includes libdwarf.h.
 *
 * libdwarf does not validate its input enough, so use it only in a child process. */

struct debug_handle {
    struct debug_sections sections;
    Dwarf_Obj_Access_Interface access;
    Dwarf_Debug debug;
};

/* The handle must not move, and the file must outlive it. False: *why has the reason, and nothing is open. */
bool debug_open(struct debug_handle *, const struct elf_file *, struct reason *why);

/* False: a section that was read is damaged; *why says which one. */
bool debug_close(struct debug_handle *, struct reason *why);

/* The first child of an entry, and the next sibling; NULL: none, or not wanted. Both always free the entry
 * that was passed. */
Dwarf_Die debug_child_of(Dwarf_Die parent);
Dwarf_Die debug_next_of(Dwarf_Debug, Dwarf_Die, bool is_wanted);

/* 0: it cannot be read. */
Dwarf_Half debug_tag(Dwarf_Die);

/* True for types that have members. */
bool debug_is_record(Dwarf_Half tag);

/* An unreadable attribute counts as absent: NULL, 0 or false. */
bool debug_has_attribute(Dwarf_Die, Dwarf_Half attribute);
const char *debug_text(Dwarf_Die, Dwarf_Half attribute);
uint64_t debug_number(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute);

/* The same for numbers; false if the attribute is absent or not a number. */
bool debug_constant(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute, uint64_t *number);

/* Sets *offset to the entry that the attribute refers to. */
bool debug_reference(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute, Dwarf_Off *offset);

/* Calls the function for each unit and returns their number. All units are visited, because libdwarf restarts
 * its iteration only after the last one. */
struct debug_unit_head {
    bool is_of_types;
    uint64_t split_id; /* shared by a unit and its part in a .dwo file; 0: not split */
};

typedef void debug_unit_function(void *context, Dwarf_Die unit, const struct debug_unit_head *);
size_t debug_each_unit(Dwarf_Debug, debug_unit_function *, void *context);

/* True if most of the unit is in a .dwo file. */
bool debug_is_split(Dwarf_Die unit);

/* True if functions and calls below such an entry belong to the scope around it. */
bool debug_is_transparent(Dwarf_Half tag);

/* True if the entry has code. */
bool debug_has_code(Dwarf_Die);

/* Sets *offset to the entry of which this one is an instance or definition. */
bool debug_next_origin(Dwarf_Debug, Dwarf_Die, Dwarf_Off *offset);

/* Either may be NULL. */
struct debug_names {
    const char *plain, *linkage;
};

/* Names of the function at the offset. */
struct debug_names debug_function_names(Dwarf_Debug, Dwarf_Off offset);

/* A directory of a line table. */
const char *debug_line_directory(Dwarf_Line_Context, Dwarf_Unsigned index);

/* Calls the function for each row of the unit's line table. */
void debug_each_row(struct debug_handle *, Dwarf_Die unit, line_row_function *, void *context);

/* Calls the function for each range of code of the entry, from low to high - 1. base: address to which the
 * unit's ranges are relative. Code that the linker dropped has no range. */
typedef void debug_range(void *context, uint64_t low, uint64_t high);
void debug_each_range(Dwarf_Debug, Dwarf_Die, uint64_t base, debug_range *take, void *context);

#endif
