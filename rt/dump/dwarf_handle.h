/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Debug information of a module, open to be read with libdwarf. The only file that includes libdwarf.h.
 *
 * libdwarf trusts what it reads more than it should: use it in a process of its own. */
#ifndef ALLOCSITE_DWARF_HANDLE_H
#define ALLOCSITE_DWARF_HANDLE_H

#include "dwarf_sections.h"
#include "line_program.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

struct dwarf_handle {
    struct dwarf_sections sections;
    Dwarf_Obj_Access_Interface access;
    Dwarf_Debug debug;
};

/* The handle must stay where it is, and the file outlive it. False: *why says why, and nothing is open. */
bool dwarf_open(struct dwarf_handle *, const struct elf_file *, struct reason *why);
void dwarf_close(struct dwarf_handle *);

/* What cannot be read is as if it were not there: NULL, 0, false. */
bool dwarf_has_attribute(Dwarf_Die, Dwarf_Half attribute);
const char *dwarf_text(Dwarf_Die, Dwarf_Half attribute);
uint64_t dwarf_number(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute);

/* The same, with false for what is not there, or no number. */
bool dwarf_constant(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute, uint64_t *number);

/* Sets *offset to the entry that the attribute refers to. */
bool dwarf_reference(Dwarf_Debug, Dwarf_Die, Dwarf_Half attribute, Dwarf_Off *offset);

/* Calls for each unit, from the first to the last: libdwarf begins anew only behind that one. Returns how
 * many there are. */
typedef void dwarf_unit_function(void *context, Dwarf_Die unit, bool is_of_types);
size_t dwarf_each_unit(Dwarf_Debug, dwarf_unit_function *, void *context);

/* Whether most of what the unit has is in a .dwo file. */
bool dwarf_is_split(Dwarf_Die unit);

/* Whether the scope that has such an entry has the functions and calls in it, too. */
bool dwarf_is_transparent(Dwarf_Half tag);

/* Whether the entry stands for code of its own. */
bool dwarf_has_code(Dwarf_Die);

/* Sets *offset to the entry that this one is an instance or a definition of. */
bool dwarf_next_origin(Dwarf_Debug, Dwarf_Die, Dwarf_Off *offset);

/* Either may be NULL. */
struct dwarf_names {
    const char *plain, *linkage;
};

/* Of the function whose entry is at the offset. */
struct dwarf_names dwarf_function_names(Dwarf_Debug, Dwarf_Off offset);

/* A directory of a line table. */
const char *dwarf_directory(Dwarf_Line_Context, Dwarf_Unsigned index);

/* Calls for each row of the unit's line table. */
void dwarf_each_row(const struct dwarf_handle *, Dwarf_Die unit, line_row_function *, void *context);

/* Calls for each stretch of code of the entry, from low to high - 1. base: where its unit's ranges begin.
 * What the linker dropped has none. */
typedef void dwarf_range(void *context, uint64_t low, uint64_t high);
void dwarf_each_range(Dwarf_Debug, Dwarf_Die, uint64_t base, dwarf_range *, void *context);

#endif
