/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Comma-separated values (RFC 4180). */
#ifndef ALLOCSITE_WRITE_CSV_H
#define ALLOCSITE_WRITE_CSV_H

#include "base/out.h"

/* A field in quotes; nothing for NULL, so that what is not known is not what has no name. */
void csv_text(struct out *, const char *);

#endif
