/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A name that is shown in part, with "..." for each run of hidden pieces. A piece is a word or a punctuation
 * mark. */
#ifndef ALLOCSITE_WRITE_NAME_PIECES_H
#define ALLOCSITE_WRITE_NAME_PIECES_H

#include <stdbool.h>
#include <stddef.h>

/* Splits the name and shows the pieces outside of all brackets, or only the innermost scope of these. The
 * name is borrowed. Returns NULL if there is no memory. The caller frees the result. */
struct name_pieces *name_pieces_make(const char *name, bool innermost);

/* Shows the first piece in which the name differs from the other name or, if this piece is already shown, the
 * last such piece. Returns false if both are already shown. */
bool name_pieces_differ(struct name_pieces *, const char *other);

/* Shows pieces around the first difference, twice as many with each call. Returns false if all are already
 * shown. */
bool name_pieces_widen(struct name_pieces *, const char *other);

/* Returns the shown string, which the caller frees; NULL: there is no memory. */
char *name_pieces_join(const struct name_pieces *);

/* Returns whether the string as a filter (model/filter.h) selects the function or type. whole: the demangled
 * name. */
bool name_pieces_select(const char *text, const char *name, const char *whole);

size_t name_columns(const char *text);

#endif
