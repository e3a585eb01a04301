/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Groups from files: their rows are allocated, and grow with each file. */
#ifndef ALLOCSITE_DUMP_VIEW_ROWS_H
#define ALLOCSITE_DUMP_VIEW_ROWS_H

#include "dump/base/hash_index.h"
#include "dump/load/source.h"
#include "dump/types/layouts.h"
#include "group/groups.h"

/* Whether threads and phases are told apart. False: *why says why not. */
bool groups_need_parts(const struct report_source *, enum group_by, struct reason *why);

/* Add to the rows: the parts of a report, the sites of a prepared one that shows all. */
void groups_add_parts(struct groups *, const struct report *);
void groups_add_sites(struct groups *, const struct report *);

/* Has the layouts of types in the rows of sites. Both outlive the groups. */
void groups_use_layouts(struct groups *, const struct type_layouts *);

/* Complains where the rows are not what the prepared report has in total. STATUS_FAILED: somewhere. */
int groups_check(const char *path, const struct groups *, const struct report *);

void groups_free(struct groups *);

#endif
