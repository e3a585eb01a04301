/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The walk that keeps track of all registers, for stacks that have something harder on them than walk.c
 * takes: a function whose frame is told by another register or by an expression, or where a signal came just
 * before it returns. */
#ifndef ALLOCSITE_LIB_WALK_FULLY_H
#define ALLOCSITE_LIB_WALK_FULLY_H

#include "lib/walk/walk.h"

/* As walk_stack, without the table of rules: about 1 microsecond for each frame. */
size_t walk_fully(const void **frames, size_t max, const void *beyond, struct walk_told *);

#endif
