/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines of the live table, without their ends. */
#ifndef ALLOCSITE_TOP_TABLE_H
#define ALLOCSITE_TOP_TABLE_H

#include "top.h"

/* Whose report it is, and whether the program runs; totals; what is live. */
enum { TOP_HEAD_LINES = 3 };
void top_head_line(struct out *, const struct top *, int line);

void top_columns_line(struct out *);
void top_row_line(struct out *, const struct top *, const struct top_row *);

#endif
