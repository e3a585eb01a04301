/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether an entry of debug information is the type that is called by a name without default arguments. */
#ifndef ALLOCSITE_DUMP_TYPES_FIT_H
#define ALLOCSITE_DUMP_TYPES_FIT_H

#include "dump/debug/handle.h"
#include "dump/types/name.h"

/* It tells with each parameter whether that is a default: clang before 15 only of some that are, none where
 * the program has written the default itself, and declarations have no parameters. */
enum dwarf_fit {
    FIT_NONE,
    FIT_GUESSED, /* nothing is against it */
    FIT_SURE,    /* nothing lacks, or defaults do */
};

/* tells: the unit's compiler says what is a default. The names match, as texts of type names. */
enum dwarf_fit dwarf_fit(Dwarf_Debug, Dwarf_Off, const char *wanted, const char *full, bool tells);

/* Whether the unit's compiler does. */
bool dwarf_tells_defaults(Dwarf_Die unit);

#endif
