/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A name of which some pieces are shown, and "..." for the others. A piece is a word or a sign. */
#ifndef ALLOCSITE_WRITE_NAME_PIECES_H
#define ALLOCSITE_WRITE_NAME_PIECES_H

#include <stdbool.h>
#include <stddef.h>

/* Splits the name, which is borrowed. What is outside of all brackets is shown, or only the innermost scope
 * of that. NULL: there is no memory. The caller frees it. */
struct name_pieces *name_pieces_make(const char *name, bool innermost);

/* Shows the first piece in which the name differs from the other one, or if that is shown already, the last
 * one. False: both are. */
bool name_pieces_differ(struct name_pieces *, const char *other);

/* Shows pieces around the first one in which the names differ, each time twice as many. False: all are shown
 * already. */
bool name_pieces_widen(struct name_pieces *, const char *other);

/* A text to be freed; NULL: there is no memory. */
char *name_pieces_join(const struct name_pieces *);

/* Whether filters (model/filter.h) would find the function or type by the text. whole: the name as a person
 * reads it. */
bool name_pieces_select(const char *text, const char *name, const char *whole);

size_t name_columns(const char *text);

#endif
