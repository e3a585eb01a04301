/* Memory for who allocates while the allocator is being looked up: dlsym itself, in some C libraries.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "next.h"

#include <stdint.h>

static _Alignas(16) char arena[4096];
static size_t used;

void *bootstrap_alloc(size_t n) {
    size_t size = (n + 15) & ~(size_t)15;
    if (n > sizeof arena)
        return NULL;
    size_t at = __atomic_fetch_add(&used, size, __ATOMIC_RELAXED);
    return at + size <= sizeof arena ? arena + at : NULL;
}

size_t bootstrap_readable(const void *p) {
    size_t at = (uintptr_t)p - (uintptr_t)arena;
    return at < sizeof arena ? sizeof arena - at : 0;
}

int bootstrap_used(void) {
    return __atomic_load_n(&used, __ATOMIC_RELAXED) != 0;
}
