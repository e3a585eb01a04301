/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of types, made comparable: debug information spells them otherwise than the syntax tree, and each
 * version of clang spells them in its own way. */
#ifndef ALLOCSITE_TYPE_NAME_H
#define ALLOCSITE_TYPE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#define TYPE_NAME_SIZE 1024

struct type_name {
    char text[TYPE_NAME_SIZE]; /* without spaces but those between two words, without struct, class, union and
                                  enum, without the standard library's inline namespaces, and without the
                                  suffixes of numbers */
    bool is_tag;               /* it began with struct, class, union or enum */
};

/* False: it is too long. */
bool type_name_read(struct type_name *, const char *spelled);

/* Whether a name of debug information, which has all template arguments, is the wanted one, which may lack
 * those that are defaults. Both as texts of type names. */
bool type_name_matches(const char *wanted, const char *full);

/* Of that part which both have without fail: up to the first template argument. Never 0. */
uint64_t type_name_hash(const char *text);

#endif
