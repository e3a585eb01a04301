/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Debug information of modules. */
#ifndef ALLOCSITE_DUMP_DEBUG_HANDLE_H
#define ALLOCSITE_DUMP_DEBUG_HANDLE_H

#include "dump/elf/elf_file.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The rows of a line table: the program in .debug_line of DWARF 2 to 5, run.
 *
 * This is not libdwarf's, for that of 2021, which distributions have, begins sequences of DWARF 5 with file 0
 * and not 1: code of templates would stand in the wrong file. The bytes are hostile; what is wrong in them
 * ends the program. */

struct line_row {
    uint64_t address; /* where it begins; it goes up to the next row of its sequence */
    uint64_t file, line, column;
    bool is_end; /* of a sequence: there is no more code */
};

typedef void line_row_function(void *context, const struct line_row *);

/* Calls for each row of the table at the offset of the section. */
void line_program_run(const unsigned char *section, size_t size, uint64_t offset, line_row_function *,
                      void *context);

/* ---- The debug sections of a module, decompressed, and relocated where it is a relocatable object.
 *
 * Sections of other modules are decompressed when their bytes are first asked for: lines need no locations,
 * and to unpack all sections of a C library takes 40 ms. */

struct debug_sections {
    const struct elf_file *elf;
    unsigned char **copies; /* of each section; NULL: as it is in the file, or not decompressed yet */
    uint64_t *sizes;        /* of each section's bytes, decompressed */
    struct reason damage;   /* "": no section that was asked for is damaged */
};

/* False: the module has no debug information that can be read; *why says why. */
bool debug_sections_open(struct debug_sections *, const struct elf_file *, struct reason *why);
void debug_sections_close(struct debug_sections *);

/* NULL: the section has no bytes, or is damaged. */
const unsigned char *debug_section_bytes(struct debug_sections *, size_t index);

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

/* False: a section that was read is damaged; *why says which. */
bool debug_close(struct debug_handle *, struct reason *why);

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
struct debug_unit_head {
    bool is_of_types;
    uint64_t split_id; /* that a unit and the rest of it in a .dwo file share; 0: it is not split */
};

typedef void debug_unit_function(void *context, Dwarf_Die unit, const struct debug_unit_head *);
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
void debug_each_row(struct debug_handle *, Dwarf_Die unit, line_row_function *, void *context);

/* Calls for each stretch of code of the entry, from low to high - 1. base: where its unit's ranges begin.
 * Code that the linker dropped has none. */
typedef void debug_range(void *context, uint64_t low, uint64_t high);
void debug_each_range(Dwarf_Debug, Dwarf_Die, uint64_t base, debug_range *take, void *context);

#endif
