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

/* All zero but what the caller sets: what comes first, and at each unit what comes next. */
struct type_search {
    Dwarf_Debug debug;
    const struct type_sought *names;
    struct type_layout *layouts;
    struct type_fields *fields; /* NULL: not wanted */
    size_t count;

    bool is_c, tells_defaults;

    struct type_wanted *wanted;
    struct hash_index by_hash;        /* the first one of each hash; the others follow by next */
    struct type_found *noted, *found; /* in this unit; in all */
    size_t noted_count, noted_room, found_count, found_room;
    char *text; /* of what is noted */
    size_t text_size, text_room;
    struct number_map inline_spaces; /* hash of a whole name -> anything */
    struct number_map declared;      /* offset of a declaration -> hash of its whole name */
    struct number_map defined;       /* hash of a whole name -> offset of a definition */
    struct number_map found_declared;
};

void type_search_begin(struct type_search *);

/* A type, or an inline namespace, by its name with its scopes. */
struct type_entry {
    Dwarf_Half tag;
    Dwarf_Off offset;
    bool is_declaration;
};
void type_search_see(struct type_search *, const struct type_entry *, const char *spelled);
void type_search_see_inline(struct type_search *, const char *spelled);

void type_search_end_unit(struct type_search *);

/* Sets the layouts. */
void type_search_end(struct type_search *);
void type_search_free(struct type_search *);

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
