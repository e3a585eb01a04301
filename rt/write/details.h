/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What people are told of a site below its row, and of faults. */
#ifndef ALLOCSITE_WRITE_DETAILS_H
#define ALLOCSITE_WRITE_DETAILS_H

#include "write/page.h"

/* Lines below the site's row: inline chain, advice, sizes, and who gave its blocks back. */
void details_of_site(const struct page *, const struct report_site *);

/* Each fault with the place of the allocation and of the fault. */
void details_of_faults(const struct page *);

#endif
