/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The word that a mistyped one was meant to be. */
#ifndef ALLOCSITE_BASE_SIMILAR_H
#define ALLOCSITE_BASE_SIMILAR_H

#include <stddef.h>

struct similar {
    const char *word; /* not known; length bytes of it */
    size_t length;
    const char *best; /* NULL: nothing tried is like it */
    size_t distance;
};

/* Letters that are missing, too many, others, or two in the wrong order: as many as a third of the word. */
void similar_try(struct similar *, const char *known);

#endif
