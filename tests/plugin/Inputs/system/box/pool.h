/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library in its header that allocates an object and memory of no type for it. */
#include <stdlib.h>

struct pool {
    void *memory;
};

static inline struct pool *pool_new(unsigned size) {
    struct pool *pool = (struct pool *)malloc(sizeof *pool);
    if (pool)
        pool->memory = malloc(size);
    return pool;
}
