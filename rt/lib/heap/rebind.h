/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Getting ahead of an allocator that stands before ours. */
#ifndef ALLOCSITE_LIB_HEAP_REBIND_H
#define ALLOCSITE_LIB_HEAP_REBIND_H

#include <stdbool.h>

#ifdef ALLOCSITE_STATIC

static inline bool rebind_is_done(void) {
    return false;
}

#else

/* Once, before the first thread. is_first: before any other constructor, which may have allocated. */
void rebind(bool is_first);

/* Whether there was such an allocator and its calls come to us now. */
bool rebind_is_done(void);

/* The allocator's own definition of a function whose calls come to us now; NULL: none. */
void *rebind_hidden(const char *name);

/* Path of the allocator. */
const char *rebind_allocator(void);

#endif

#endif
