/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names of functions and types as one report shows them.
 *
 * Template arguments of a long name are left out (names/names.h), so the texts of two names can be equal.
 * Each of them then keeps a part in which they differ: "Cache<...Key<int>...>". Because "..." is a star in
 * patterns (base/words.h), the text selects only its own function or type of the report. If this takes more
 * columns than there are, the text only differs from that of the other names. */
#ifndef ALLOCSITE_WRITE_SHOWN_NAMES_H
#define ALLOCSITE_WRITE_SHOWN_NAMES_H

#include "names/names.h"

enum name_kind { NAME_FUNCTION, NAME_TYPE, NAME_KINDS };

/* All functions and types of a report. All zero: none. */
struct shown_names {
    struct name_list {
        struct name_entry *list;
        size_t count, room;
        struct name_cuts *cuts; /* one for each number of columns that was asked for */
        size_t compared;        /* comparisons so far */
        bool is_sorted;
    } kinds[NAME_KINDS];
};

/* The text is borrowed; NULL adds nothing. */
void shown_names_add(struct shown_names *, enum name_kind, const char *name);

void shown_names_free(struct shown_names *);

/* Returns the name for so many columns. It is in text, or lives as long as the names. Without memory, or if
 * names is NULL or lacks the name, it is just cut. Parts that differ may need more columns. */
const char *shown_name(struct shown_names *names, enum name_kind, const char *name, size_t columns,
                       char text[NAME_SIZE]);

#endif
