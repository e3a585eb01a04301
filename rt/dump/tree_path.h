/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The way from an allocation out to where the program began: tree.h in parts. */
#ifndef ALLOCSITE_TREE_PATH_H
#define ALLOCSITE_TREE_PATH_H

#include "tree.h"

/* Longer ones are cut: those who write trees go down into them. */
enum { TREE_PATH_MAX = 1000 };

struct tree_path {
    struct tree_place places[TREE_PATH_MAX]; /* innermost first; texts are borrowed */
    size_t count;
};

/* stack: NULL if none was kept. */
void tree_path_make(struct tree_path *, const struct site_view *, const struct report_stack *stack,
                    const struct symbolizer *);

#endif
