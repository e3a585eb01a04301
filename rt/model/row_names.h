/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows that stand for sites of which nothing is known but their counters: unsited rows of a module that has
 * no path. */
#ifndef ALLOCSITE_MODEL_ROW_NAMES_H
#define ALLOCSITE_MODEL_ROW_NAMES_H

/* Their names did not get into the profile. */
#define ROW_UNNAMED    "[unnamed]"
#define ROW_UNNAMED_ID 1

/* A report had their sum alone. */
#define ROW_LEFT_OUT    "[left out]"
#define ROW_LEFT_OUT_ID 2

#endif
