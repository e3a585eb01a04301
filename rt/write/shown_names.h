/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The names of functions and types as one report shows them.
 *
 * Long names are shown without template arguments (names/names.h), so two names can become the same string.
 * Then each name keeps a part in which they differ: "Cache<...Key<int>...>". Because "..." is a wildcard in
 * patterns (base/words.h), the string selects only its own function or type of the report. If such a string
 * does not fit the columns, a shorter one is shown that differs from the other shown names but may select
 * several. */
#ifndef ALLOCSITE_WRITE_SHOWN_NAMES_H
#define ALLOCSITE_WRITE_SHOWN_NAMES_H

#include "names/names.h"

enum name_kind { NAME_FUNCTION, NAME_TYPE, NAME_KINDS };

/* All functions and types of a report. All zero: none. */
struct shown_names {
    struct name_list {
        struct name_entry *list;
        size_t count, capacity;
        struct name_cuts *cuts; /* one for each requested width */
        size_t compared;        /* comparisons so far */
        bool is_sorted;
    } kinds[NAME_KINDS];
};

/* The string is borrowed. NULL adds nothing. */
void shown_names_add(struct shown_names *, enum name_kind, const char *name);

void shown_names_free(struct shown_names *);

/* Returns the name shortened to a number of columns. A part that differs from other names may need more. The
 * result is in text, or is valid as long as the names. If there is no memory, or names is NULL or lacks the
 * name, the result is shortened without regard to other names. */
const char *shown_name(struct shown_names *names, enum name_kind, const char *name, size_t columns,
                       char text[NAME_SIZE]);

#endif
