/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Checks whether an unknown address may be a block of glibc's malloc. */
#ifndef ALLOCSITE_LIB_HEAP_CHUNK_H
#define ALLOCSITE_LIB_HEAP_CHUNK_H

#include <stdbool.h>

/* Returns whether the words around p are what glibc keeps around a live block. If not, free(p) is an error of
 * the program: glibc would abort or damage its heap. Reads only mapped memory. */
bool chunk_may_be_live(const void *p);

/* Returns whether a block that may be live is certainly free: it waits in the cache of a thread. */
bool chunk_is_cached(const void *p);

#endif
