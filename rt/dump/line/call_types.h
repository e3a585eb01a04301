/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The types that the callers of wrappers know (struct allocsite_call in format.h). */
#ifndef ALLOCSITE_DUMP_LINE_CALL_TYPES_H
#define ALLOCSITE_DUMP_LINE_CALL_TYPES_H

#include "dump/base/hash_index.h"
#include "dump/table/table.h"

/* All zero: none is known. */
struct call_types {
    struct call_type *list;
    size_t count, room;
    struct hash_index index;
};

/* Adds those of a module. Keeps texts in the pool. */
void call_types_add(struct call_types *, const struct table *, struct string_pool *);
void call_types_free(struct call_types *);

/* What is known of one call. */
struct call_type {
    const char *function, *file; /* of the file the last component */
    uint32_t line, column;       /* column 0: all calls of the line */
    const char *type;            /* NULL: unknown */
    bool hands_on;               /* the type is the one that the next call outwards has */
    bool is_unsure;              /* calls of one name and place differ, so nothing is known */
};

/* Returns NULL if nothing is known of the call. A call without a column is any of its line, if these agree.
 */
const struct call_type *call_types_find(const struct call_types *, const struct place *);

#endif
