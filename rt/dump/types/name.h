/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of types, made comparable: debug information spells them otherwise than the syntax tree, and each
 * version of clang spells them in its own way. */
#ifndef ALLOCSITE_DUMP_TYPES_NAME_H
#define ALLOCSITE_DUMP_TYPES_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TYPE_NAME_SIZE 4096

struct type_name {
    char text[TYPE_NAME_SIZE]; /* without spaces but those between two words, without struct, class, union and
                                  enum, without the standard library's inline namespaces, without the types
                                  and suffixes of numbers, and without the directories of source files */
    bool is_tag;               /* it began with struct, class, union or enum */
};

/* One that is looked for: of many at once, which would be large as buffers. */
struct type_sought {
    const char *text; /* NULL: it was too long */
    bool is_tag;
};

/* False: it is too long. */
bool type_name_read(struct type_name *, const char *spelled);

/* Whether a namespace, called by its whole path, is an inline one. */
typedef bool type_name_space(const void *context, const char *path, size_t length);

/* Leaves the inline namespaces out. */
void type_name_strip(struct type_name *, type_name_space *is_inline, const void *context);

/* Whether a name of debug information, which has all template arguments, is the wanted one, which may lack
 * those that are defaults. Both as texts of type names. */
bool type_name_matches(const char *wanted, const char *full);

/* Of that part which both have without fail: up to the first template argument. Never 0. */
uint64_t type_name_hash(const char *text);

/* A line may allocate objects of several types: "node or bucket *". Copies the next of them; *left is first
 * the whole name. False: there is none. Of names with further ones that are not told the last one is "...".
 */
#define TYPE_NAME_OR " or "
bool type_name_alternative(const char **left, char name[TYPE_NAME_SIZE]);

/* A stretch of a name. */
struct type_text {
    const char *text;
    size_t length;
};

/* The template arguments that end the name, and then one after the other of them. False: there is none. */
bool type_name_arguments(struct type_text name, struct type_text *arguments);
bool type_name_next(struct type_text *arguments, struct type_text *argument);

/* The first such character that is not in template arguments; NULL: there is none. */
const char *type_name_find(const char *text, const char *characters);

#endif
