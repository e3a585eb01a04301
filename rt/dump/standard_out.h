/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The standard output of a command. */
#ifndef ALLOCSITE_STANDARD_OUT_H
#define ALLOCSITE_STANDARD_OUT_H

#include "../lib/out.h"

/* The one writer to it, empty. */
struct out *standard_out(void);

/* Writes what is waiting. STATUS_FAILED: not all of it could be written, which is complained about. */
int standard_out_end(void);

#endif
