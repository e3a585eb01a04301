/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Layouts of types: their size and their padding.
 *
 * A byte is padding if no member at any depth covers it. A member that is a struct covers only what its own
 * members cover, so a member of a derived class in the padding of its base class removes that padding. In a
 * union a byte is padding if no alternative covers it; a byte of bit-fields is padding if none of its bits is
 * used. Pointers to virtual function tables count as members. */
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

/* An end that extends to the next member. */
#define TYPE_EXTENT_OPEN UINT64_MAX

/* Bytes that a member covers. */
struct type_extent {
    uint64_t start, end;
    const char *outer, *inner; /* names of the type's member and of the innermost member; NULL: none */
};

/* Computes padding and holes of a layout whose size is set from the bytes that members cover. Sorts them. */
void type_layout_fill(struct type_layout *, struct type_extent *, size_t count);

/* Merges another layout of the same type name into this one. */
void type_layout_join(struct type_layout *, const struct type_layout *other);

/* ---- The layout of one type in debug information. */

/* Sets *offset to the definition of the type that is declared at *offset. False: it is not known. */
typedef bool debug_definition(void *context, Dwarf_Off declaration, Dwarf_Off *offset);

/* A pointer or reference in a type at any depth, or a word of text. */
struct type_field {
    uint64_t offset;
    uint64_t every;   /* flexible array: distance of its elements in bytes; 0: a single field */
    uint32_t name;    /* offset in the text of "users.head.next" */
    bool is_in_union; /* another member may be stored there */
    bool is_text;     /* not a pointer, even if it looks like one */
};

/* The fields of many types. The arrays have fixed sizes because the memory may be shared with a child
 * process. */
struct type_fields {
    uint32_t count, text_size;
    struct type_field list[1 << 20];
    char text[1 << 26];
};

/* The layout stays unknown if the type has no size. Appends the type's fields to `fields`, unless that is
 * NULL. */
void debug_layout(struct type_layout *, struct type_fields *fields, Dwarf_Debug, Dwarf_Off type,
                  debug_definition *, void *context);

/* ---- A type without typedefs and qualifiers; for a declaration, its definition. */

/* Limit of nesting. Deeper types are damaged. */
#define TYPE_DEPTH_MOST   100

#define TYPE_POINTER_SIZE 8

/* A source of types. */
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

/* True for typedefs and qualifiers. */
bool bare_type_is_around(Dwarf_Half tag);

/* False: there is nothing to close. */
bool bare_type_open(const struct type_source *, struct bare_type *, Dwarf_Off);
void bare_type_close(const struct type_source *, struct bare_type *);

/* In bytes; 0: unknown or empty. depth: nesting depth of the type. */
uint64_t bare_type_size(const struct type_source *, const struct bare_type *, int depth);
uint64_t bare_type_size_at(const struct type_source *, Dwarf_Off, int depth);

/* The number of elements in all dimensions; 0: zero or unknown. */
uint64_t bare_type_elements(const struct type_source *, const struct bare_type *array);

/* ---- Finding the types with given names.
 *
 * Theory of operation: all entries of a unit that may have a wanted name are collected. At the end of the
 * unit its inline namespaces, which some names leave out, are known, and the collected names are compared.
 * One name may match several types: types that differ only in default template arguments, which the name
 * lacks, and the same type in several units. Types that match for certain win. Otherwise there must be one
 * candidate, or all candidates must have the same layout. Declarations are candidates too: without them
 * another type of similar name would be chosen. */

/* ---- Whether an entry has a name that may lack default arguments. */

/* Compilers mark default arguments. clang before 15 marks only some of them, no compiler marks an argument
 * that the program spells out, and declarations have no parameters. */
enum debug_fit {
    FIT_NONE,
    FIT_GUESSED, /* nothing contradicts */
    FIT_SURE,    /* no argument is missing, or only defaults are */
};

/* marks_defaults: the unit's compiler marks defaults. The names must match (type_name_matches). */
enum debug_fit debug_fit(Dwarf_Debug, Dwarf_Off, const char *wanted, const char *full, bool marks_defaults);

/* True if the unit's compiler marks defaults. */
bool debug_marks_defaults(Dwarf_Die unit);

/* ---- Layouts of types by name, from the debug information of a module. */

/* Sets the layouts of the types that it finds, and appends their fields unless `fields` is NULL. False: *why
 * says why the debug information cannot be read. libdwarf does not validate its input enough, so call this
 * only in a child process. */
bool debug_types(struct type_layout *, struct type_fields *, const struct type_sought *, size_t count,
                 const struct elf_file *, struct reason *why);

#endif
