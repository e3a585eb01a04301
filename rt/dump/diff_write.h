/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What allocsite-dump diff writes. */
#ifndef ALLOCSITE_DIFF_WRITE_H
#define ALLOCSITE_DIFF_WRITE_H

#include "diff.h"

void diff_text(struct out *, const struct diff *, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *);

void diff_json(struct out *, const struct diff *, const struct loaded *old, const struct loaded *new,
               const struct diff_limits *);

#endif
