/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which of the types that debug information names are those that are looked for.
 *
 * Theory of operation: of a unit everything is noted down that could have a wanted name. Behind its end, when
 * its inline namespaces are known, which are left out of some names, it is seen what has. There can be many
 * of one name: other types that differ in what the wanted name lacks, the default template arguments, and the
 * same one in other units. If some have the name for sure, they are the type; else there must be no more than
 * one that could have it, or all must be laid out alike. Declarations count, or what is defined elsewhere
 * would be taken for its neighbour. */
#ifndef ALLOCSITE_DUMP_TYPES_SEARCH_H
#define ALLOCSITE_DUMP_TYPES_SEARCH_H

#include "dump/base/hash_index.h"
#include "dump/debug/handle.h"
#include "dump/elf/elf_file.h"
#include "dump/types/layout.h"
#include "dump/types/name.h"

/* ---- Whether an entry of debug information is the type that is called by a name without default arguments.
 */

/* It tells with each parameter whether that is a default: clang before 15 only of some that are, none where
 * the program has written the default itself, and declarations have no parameters. */
enum debug_fit {
    FIT_NONE,
    FIT_GUESSED, /* nothing is against it */
    FIT_SURE,    /* nothing lacks, or defaults do */
};

/* tells: the unit's compiler says what is a default. The names match, as texts of type names. */
enum debug_fit debug_fit(Dwarf_Debug, Dwarf_Off, const char *wanted, const char *full, bool tells);

/* Whether the unit's compiler does. */
bool debug_tells_defaults(Dwarf_Die unit);

/* ---- Layouts of types by name, from the debug information of a module. */

/* Sets the layouts of those types that are found, and adds their fields if there is where to. False: *why
 * says why the debug information cannot be read. libdwarf trusts what it reads more than it should: call this
 * in a process of its own. */
bool debug_types(struct type_layout *, struct type_fields *, const struct type_sought *, size_t count,
                 const struct elf_file *, struct reason *why);

#endif
