/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An allocator with prefixed names, which takes its memory from malloc. */
void *px_malloc(size_t n);
void *px_calloc(size_t count, size_t n);
void *px_realloc(void *old, size_t n);
void px_free(void *p);

/* Prints its numbers of allocated and freed blocks. */
void px_print(void);

#ifdef __cplusplus
}

namespace px {
/* Throws an int if n is above 1,000. */
void *checked(size_t n);
} // namespace px
#endif
