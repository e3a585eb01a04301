/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The reports of many files as one, one file at a time. */
#ifndef ALLOCSITE_DUMP_JOIN_FILES_H
#define ALLOCSITE_DUMP_JOIN_FILES_H

#include "dump/join/join.h"
#include "dump/load/source.h"

/* Takes from a file what the joined report will not have. False: *why says why the file is to be left out. */
typedef bool join_visitor(void *context, const struct report_source *, struct reason *why);

/* Sets joined->report. visit is called for each file before it is added; NULL: for none. STATUS_FAILED: some
 * files were left out, each with a complaint. joined->reports is 0 if no report came of it; there is
 * something to free even then. */
int join_files(struct joined *, char **paths, int count, join_visitor *visit, void *context);

#endif
