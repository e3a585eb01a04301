/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The sites of one module's file, held against the rows of a report. */
#ifndef ALLOCSITE_DUMP_VIEW_COVERAGE_MODULE_H
#define ALLOCSITE_DUMP_VIEW_COVERAGE_MODULE_H

#include "dump/base/hash_index.h"
#include "dump/view/coverage.h"

/* The rows that have run, by what they are and by id alone. */
struct coverage_rows {
    const struct report *report;
    struct hash_index by_identity, by_id;
};

/* The report must outlive them. False: out of memory; there is something to close even then. */
bool coverage_rows_open(struct coverage_rows *, const struct report *);
void coverage_rows_close(struct coverage_rows *);

/* Adds the module's sites to the coverage. False: out of memory. */
bool coverage_module_read(struct coverage *, struct covered_module *, const struct coverage_rows *);

#endif
