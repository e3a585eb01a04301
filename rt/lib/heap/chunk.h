/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether glibc could have given a block that is not known. */
#ifndef ALLOCSITE_LIB_HEAP_CHUNK_H
#define ALLOCSITE_LIB_HEAP_CHUNK_H

#include <stdbool.h>

/* Whether what stands around p is what glibc keeps around a live block. If not, free(p) is a fault of the
 * program for certain: glibc would end the process, or damage its heap. Reads no memory that is not there. */
bool chunk_may_be_live(const void *p);

#endif
