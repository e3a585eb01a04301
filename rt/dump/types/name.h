/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of types in a normal form. Debug information spells them differently from the syntax tree, and so
 * does each version of clang. */
#ifndef ALLOCSITE_DUMP_TYPES_NAME_H
#define ALLOCSITE_DUMP_TYPES_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TYPE_NAME_SIZE 4096

struct type_name {
    char text[TYPE_NAME_SIZE]; /* normal form: spaces only between two words, no struct, class, union or enum,
                                * no inline namespaces of the standard library, no types and suffixes of
                                * numbers, no directories of source files */
    bool is_tag;               /* it began with struct, class, union or enum */
};

/* A wanted name without a buffer, for large numbers of them. */
struct type_sought {
    const char *text; /* NULL: it was too long */
    bool is_tag;
};

/* False: the name is too long. */
bool type_name_read(struct type_name *, const char *spelled);

/* True if the namespace with that qualified name is inline. */
typedef bool type_name_space(const void *context, const char *path, size_t length);

/* Removes inline namespaces. */
void type_name_strip(struct type_name *, type_name_space *is_inline, const void *context);

/* True if a name of debug information, with all template arguments, is the wanted one, which may lack default
 * arguments. Both are normal forms. */
bool type_name_matches(const char *wanted, const char *full);

/* Hash of the part before the first template argument, which both spellings share. Never 0. */
uint64_t type_name_hash(const char *text);

/* A line may allocate objects of several types: "node or bucket *". Copies the next of them. *left is
 * initially the whole name. False: there is none. The last one is "..." if the name was shortened. */
#define TYPE_NAME_OR " or "
bool type_name_alternative(const char **left, char name[TYPE_NAME_SIZE]);

/* A part of a name. */
struct type_text {
    const char *text;
    size_t length;
};

/* The template arguments at the end of a name, and iteration over them. False: there is none. */
bool type_name_arguments(struct type_text name, struct type_text *arguments);
bool type_name_next(struct type_text *arguments, struct type_text *argument);

/* The first of these characters outside of template arguments; NULL: none. */
const char *type_name_find(const char *text, const char *characters);

#endif
