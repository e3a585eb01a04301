/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reports of many files as one, one file at a time. */
#ifndef ALLOCSITE_JOIN_FILES_H
#define ALLOCSITE_JOIN_FILES_H

#include "join.h"

/* Sets joined->report. STATUS_FAILED: some files were left out, each with a complaint. joined->reports is 0
 * if no report came of it; there is something to free even then. */
int join_files(struct joined *, char **paths, int count);

#endif
