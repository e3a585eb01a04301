/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The layout of one type of debug information. */
#ifndef ALLOCSITE_DWARF_LAYOUT_H
#define ALLOCSITE_DWARF_LAYOUT_H

#include "dwarf_handle.h"
#include "type_layout.h"

/* Sets *offset to the definition of the type that is declared there. False: it is nowhere. */
typedef bool dwarf_definition(void *context, Dwarf_Off declaration, Dwarf_Off *offset);

/* Stays unknown if the type has no size. False: out of memory. */
bool dwarf_layout(struct type_layout *, Dwarf_Debug, Dwarf_Off type, dwarf_definition *, void *context);

#endif
