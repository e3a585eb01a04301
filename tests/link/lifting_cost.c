/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Calls of wrappers, which are billed here.
#include "lifting_cost.h"

void run(long pairs) {
    for (long i = 0; i < pairs; i++)
        cost_free(cost_malloc(32));
}
