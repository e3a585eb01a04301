/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory streams opened by sited calls: who they are billed to when they are closed. */
#ifndef ALLOCSITE_LIB_CALLS_STREAMS_H
#define ALLOCSITE_LIB_CALLS_STREAMS_H

#include <stdint.h>
#include <stdio.h>

/* Remembers the slot of an open stream. */
void stream_remember(const FILE *, uint32_t slot);

/* Its slot, forgotten by this; NO_SLOT: none. */
uint32_t stream_forget(const FILE *);

#endif
