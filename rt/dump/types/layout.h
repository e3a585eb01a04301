/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How types are laid out: their size, and which bytes of it are padding.
 *
 * A byte is padding if no member has it, at any depth: a member that is a struct is only where its own
 * members are, so that padding of a base class in which a member of the derived class lies is none. Of a
 * union a byte is padding that no alternative has; of bit-fields one that no bit of is used. Pointers of
 * virtual functions are members. */
#ifndef ALLOCSITE_DUMP_TYPES_LAYOUT_H
#define ALLOCSITE_DUMP_TYPES_LAYOUT_H

#include "dump/base/hash_index.h"
#include "dump/debug/handle.h"
#include "dump/elf/elf_file.h"
#include "dump/types/name.h"
#include "model/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the place of an end: up to whatever comes next. */
#define TYPE_EXTENT_OPEN UINT64_MAX

/* Bytes that a member has. */
struct type_extent {
    uint64_t start, end;
    const char *outer, *inner; /* names of the type's member and of what in it has the bytes; may be NULL */
};

/* Sets padding and holes of a layout, which has its size, from all that is in it, and sorts that. */
void type_layout_fill(struct type_layout *, struct type_extent *, size_t count);

/* Makes one of two layouts of one name. */
void type_layout_join(struct type_layout *, const struct type_layout *other);

/* ---- The layout of one type of debug information. */

/* Sets *offset to the definition of the type that is declared there. False: it is nowhere. */
typedef bool debug_definition(void *context, Dwarf_Off declaration, Dwarf_Off *offset);

/* A pointer or reference in a type, at whatever depth, or a word of text. */
struct type_field {
    uint64_t offset;
    uint64_t every;   /* of a flexible array: there is one more each so many bytes; 0: it is one */
    uint32_t name;    /* "users.head.next": where it is in the text */
    bool is_in_union; /* so it may be something else */
    bool is_text;     /* what looks like a pointer there is what was there before */
};

/* Of many types, in memory that a process that reads may share: so the arrays have fixed ends. */
struct type_fields {
    uint32_t count, text_size;
    struct type_field list[1 << 20];
    char text[1 << 26];
};

/* Stays unknown if the type has no size. fields: where those of the type are added; NULL: nowhere. */
void debug_layout(struct type_layout *, struct type_fields *fields, Dwarf_Debug, Dwarf_Off type,
                  debug_definition *, void *context);

/* ---- A type of debug information without typedefs, qualifiers and declarations around it, and its size. */

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

/* ---- Which of the types that debug information names are those that are looked for.
 *
 * Theory of operation: of a unit everything is noted down that could have a wanted name. Behind its end, when
 * its inline namespaces are known, which are left out of some names, it is seen what has. There can be many
 * of one name: other types that differ in what the wanted name lacks, the default template arguments, and the
 * same one in other units. If some have the name for sure, they are the type; else there must be no more than
 * one that could have it, or all must be laid out alike. Declarations count, or what is defined elsewhere
 * would be taken for its neighbour. */

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
