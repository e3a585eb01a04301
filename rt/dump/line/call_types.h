/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Types that the callers of wrappers know (struct allocsite_call in format.h). */
#ifndef ALLOCSITE_DUMP_LINE_CALL_TYPES_H
#define ALLOCSITE_DUMP_LINE_CALL_TYPES_H

#include "dump/base/hash_index.h"
#include "dump/table/table.h"

/* All zero: empty. */
struct call_types {
    struct call_type *list;
    size_t count, capacity;
    struct hash_index index;
};

/* Adds the calls of a module's table. Keeps strings in the pool. */
void call_types_add(struct call_types *, const struct table *, struct string_pool *);
void call_types_free(struct call_types *);

/* The known facts about one call. */
struct call_type {
    const char *function, *file; /* file: only the last component */
    uint32_t line, column;       /* column 0: all calls of the line */
    const char *type;            /* NULL: unknown */
    bool hands_on;               /* the type is the type of the next outer call */
    bool is_unsure;              /* calls with this name and location differ, so their type is unknown */
};

/* Returns NULL if nothing is known about the call. A call without a column matches its line if all calls of
 * the line agree. */
const struct call_type *call_types_find(const struct call_types *, const struct place *);

#endif
