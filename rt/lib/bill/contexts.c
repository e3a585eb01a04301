/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "lib/bill/contexts.h"

#include "lib/base/os.h"

__thread uint64_t context;
uint64_t *contexts, *contexts_hot;

bool contexts_begin(void) {
    contexts = os_map(sizeof *contexts << CONTEXT_BITS, OS_FORK_KEEPS);
    return contexts;
}

#define ROOT_MOST 3

/* Where only so many frames are kept, and all of them are marked, the rest does not matter. */
bool context_is_certain(const void *const *frames, size_t count, const struct walk_told *told) {
    size_t marked = 0;
    while (marked < count && walk_keeps_context(frames[marked]))
        marked++;
    if (marked == count)
        return told->end != WALK_LOST;
    return marked && told->end == WALK_OUTERMOST && count - marked <= ROOT_MOST;
}
